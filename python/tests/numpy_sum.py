"""Why fuzz.py does not call ndarray.sum where memory is limited: NumPy alone, without routh, ends the interpreter there if one allocation fails.

Usage: numpy_sum.py. It needs a C compiler, and prints for which allocation a sum ends by which signal, with NumPy's version (1.24.2: the 13th, SIGSEGV,
all frames of the stack in _multiarray_umath; a version without output has no such fault).
"""

import ctypes
import os
import signal
import subprocess
import sys
import tempfile

FAIL = """
#include <stddef.h>
void *__libc_malloc(size_t); void *__libc_calloc(size_t, size_t); void *__libc_realloc(void *, size_t);
static long left = -1;
void arm(long n) { left = n; }
static int fails(void) { return left >= 0 && left-- == 0; }
void *malloc(size_t n) { return fails() ? NULL : __libc_malloc(n); }
void *calloc(size_t a, size_t b) { return fails() ? NULL : __libc_calloc(a, b); }
void *realloc(void *p, size_t n) { return fails() ? NULL : __libc_realloc(p, n); }
"""


def sums(library):
    import numpy as np

    arm = ctypes.CDLL(library).arm
    arm.argtypes = [ctypes.c_long]
    for array in (np.ones((3, 8)), np.ones(1000, "i1"), np.ones(10, object)):
        for n in range(30):
            child = os.fork()
            if child == 0:
                os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
                arm(n)
                try:
                    array.sum()
                except BaseException:  # noqa: S110
                    pass
                os._exit(0)
            ended = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            if ended < 0:
                print(f"NumPy {np.__version__}: a sum of {array.dtype} whose allocation {n + 1} fails ends by {signal.Signals(-ended).name}"
                      f" (routh is loaded: {'routh' in sys.modules})")


def main():
    if len(sys.argv) > 1:
        sums(sys.argv[1])
        return
    with tempfile.TemporaryDirectory() as folder:
        library = os.path.join(folder, "fail.so")
        subprocess.run(["cc", "-shared", "-fPIC", "-x", "c", "-", "-o", library], input=FAIL, text=True, check=True)
        subprocess.run([sys.executable, __file__, library], env={**os.environ, "LD_PRELOAD": library, "PYTHONMALLOC": "malloc"}, check=True)


if __name__ == "__main__":
    main()
