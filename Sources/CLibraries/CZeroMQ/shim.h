#include <sys/eventfd.h>
#include <zmq.h>
