/* The program of the worker processes that decode images for a host (isolation.h); not for users. */
#include <sdimage/isolation.h>

int main(void) {
    return sdimage_isolation_main();
}
