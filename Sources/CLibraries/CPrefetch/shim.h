#pragma once

/// Asks for the cache line of an address that will be read soon. Any address is allowed.
static inline void cprefetch_read(const void *address) { __builtin_prefetch(address, 0, 3); }
