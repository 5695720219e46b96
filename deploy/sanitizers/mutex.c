/* Tells the thread sanitizer what a contended `Mutex` does. Its fast path is compiled into the caller, where the
 * sanitizer sees it; its slow path is in libswiftSynchronization and in the kernel, where it does not, so that all that
 * a contended mutex guards would look like a race. Loaded before that library; a process without the sanitizer is left
 * as it is. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stdint.h>

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self

void __tsan_acquire(void *address) __attribute__((weak));
void __tsan_release(void *address) __attribute__((weak));

#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define TRY_LOCK "$s15Synchronization12_MutexHandleV12_tryLockSlowSbyF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slow(uint32_t thread, SELF) __asm__(LOCK);
SWIFT bool try_lock_slow(SELF) __asm__(TRY_LOCK);
SWIFT void unlock_slow(SELF) __asm__(UNLOCK);

static SWIFT void (*real_lock)(uint32_t, SELF);
static SWIFT bool (*real_try_lock)(SELF);
static SWIFT void (*real_unlock)(SELF);

__attribute__((constructor)) static void find(void) {
    real_lock = dlsym(RTLD_NEXT, LOCK);
    real_try_lock = dlsym(RTLD_NEXT, TRY_LOCK);
    real_unlock = dlsym(RTLD_NEXT, UNLOCK);
}

SWIFT void lock_slow(uint32_t thread, SELF) {
    real_lock(thread, self);
    if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT bool try_lock_slow(SELF) {
    bool is_locked = real_try_lock(self);
    if (is_locked && __tsan_acquire) __tsan_acquire(self);
    return is_locked;
}

SWIFT void unlock_slow(SELF) {
    if (__tsan_release) __tsan_release(self);
    real_unlock(self);
}
