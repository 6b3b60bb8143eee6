"""Reference values for which base R has no function:
    python reference-values.py > reference-values.py.txt
The intervals maximise the restricted likelihood numerically instead of solving the cubic equation, and the boundaries
come from multivariate normal probabilities instead of recursive integration."""
import numpy as np
import scipy
from scipy import optimize, stats
from scipy.stats import multivariate_normal as mvn

print("scipy", scipy.__version__)
Z = 1.959963984540054


def log_likelihood(base, difference, stratum):
    a, n, b, m = stratum
    head = base + difference
    term = lambda x, p: 0 if x == 0 else (-1e300 if p <= 0 else x * np.log(p))
    return term(a, base) + term(n - a, 1 - base) + term(b, head) + term(m - b, 1 - head)


def variance(difference, stratum):
    a, n, b, m = stratum
    low, high = max(0, -difference), min(1, 1 - difference)
    base = low
    if high - low > 1e-14:
        best = optimize.minimize_scalar(
            lambda p: -log_likelihood(p, difference, stratum), bounds=(low, high), method="bounded", options=dict(xatol=1e-14)
        )
        ends = [p for p in (low, high) if log_likelihood(p, difference, stratum) > -best.fun]
        base = ends[0] if ends else best.x
    head = base + difference
    return (head * (1 - head) / m + base * (1 - base) / n) * (n + m) / (n + m - 1)


def miettinen_nurminen(*strata):
    seen = np.mean([b / m - a / n for a, n, b, m in strata])
    score = lambda d: (seen - d) / np.sqrt(max(1e-300, sum(variance(d, s) for s in strata) / len(strata) ** 2))
    low = -1 if seen <= -1 + 1e-12 else optimize.brentq(lambda d: score(d) - Z, -1 + 1e-12, seen - 1e-13, xtol=1e-13)
    high = 1 if seen >= 1 - 1e-12 else optimize.brentq(lambda d: score(d) + Z, seen + 1e-13, 1 - 1e-12, xtol=1e-13)
    return low, high


print("\nMiettinen-Nurminen, (passed of base, tested, passed of head, tested)")
for one in [(48, 80, 56, 70), (3, 10, 9, 10), (2, 7, 6, 7), (0, 29, 5, 56), (0, 20, 0, 10), (0, 10, 0, 10), (0, 20, 10, 10), (0, 10, 10, 10)]:
    print(one, "%.6f %.6f" % miettinen_nurminen(one))
for strata in [[(3, 10, 9, 10), (5, 8, 6, 9), (2, 7, 6, 7)], [(9, 10, 7, 10), (10, 10, 10, 10), (4, 12, 2, 11)]]:
    print(strata, "%.6f %.6f" % miettinen_nurminen(*strata))

times, alpha, zs = np.array([0.2, 0.4, 0.6, 0.8, 1]), 0.05, []
covariance = np.sqrt(np.minimum.outer(times, times) / np.maximum.outer(times, times))
for look, time in enumerate(times):

    def left(z):
        ends = np.array(zs + [z])
        if look == 0:
            return 2 * stats.norm.sf(z) - alpha * time**2
        inside = mvn.cdf(ends, mean=np.zeros(look + 1), cov=covariance[: look + 1, : look + 1], lower_limit=-ends, abseps=1e-8, releps=1e-8, maxpts=2000000)
        return 1 - inside - alpha * time**2

    zs.append(optimize.brentq(left, 1.9, 4, xtol=1e-5))
print("\nboundaries of 5 equal looks, 0.05 * time^2 spent:", *["%.4f" % z for z in zs])
