"""Keep BLAS from using more threads than help."""

from collections.abc import Iterator
from contextlib import contextmanager

from sklearn.utils.parallel import _get_threadpool_controller


@contextmanager
def one_thread() -> Iterator[None]:
    """Give BLAS one thread while many small matrices are worked on.

    More of them mostly wait for each other, and those of NumPy for those of SciPy: with
    two a fit takes two to ten times as long. Also a decorator. Work that joblib divides
    is not held back: its processes have threads of their own.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> from penchant._parallel import one_thread
    >>> with one_thread():
    ...     pools = [x for x in threadpool_info() if x["user_api"] == "blas"]
    >>> all(pool["num_threads"] == 1 for pool in pools)
    True
    """
    # Kept by scikit-learn: to look for the libraries anew takes 3 ms each time.
    with _get_threadpool_controller().limit(limits=1, user_api="blas"):
        yield
