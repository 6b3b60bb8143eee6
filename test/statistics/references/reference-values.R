# Reference values for the tests of this folder, with functions of base R or their definitions written out:
#   Rscript reference-values.R > reference-values.R.txt
options(digits = 15)
cat(R.version.string, "\n")

cat("\nWilson interval: prop.test(passed, tested, correct = FALSE)\n")
for (x in list(c(0, 1), c(1, 1), c(3, 3), c(5, 5), c(8, 10), c(16, 20), c(0, 12), c(50, 100), c(1, 1000)))
  cat(x, ":", suppressWarnings(prop.test(x[1], x[2], correct = FALSE))$conf.int[1:2], "\n")

cat("\npnorm(c(0, 1, 1.959963984540054, 3, 6, -1), lower.tail = FALSE)\n")
print(pnorm(c(0, 1, 1.959963984540054, 3, 6, -1), lower.tail = FALSE))
cat("qnorm(c(0.5, 0.025, 0.2, 1e-10, 0.9), lower.tail = FALSE)\n")
print(qnorm(c(0.5, 0.025, 0.2, 1e-10, 0.9), lower.tail = FALSE))
cat("pt(c(1, 2.5, 2, -1, 12), c(1, 4.3, 30, 7, 3), lower.tail = FALSE)\n")
print(pt(c(1, 2.5, 2, -1, 12), c(1, 4.3, 30, 7, 3), lower.tail = FALSE))
cat("qt(c(0.025, 0.025, 0.05, 0.001), c(1, 4.3, 30, 2), lower.tail = FALSE)\n")
print(qt(c(0.025, 0.025, 0.05, 0.001), c(1, 4.3, 30, 2), lower.tail = FALSE))

cat("\np.adjust(c(0.01, 0.04, 0.03, 0.005), 'holm')\n")
print(p.adjust(c(0.01, 0.04, 0.03, 0.005), "holm"))

cat("\nmean bias: t.test(judge, human, paired = TRUE)\n")
cat(t.test(c(0.5, 0.8, 0.8, 0.1), c(0.4, 0.6, 0.8, 0.2), paired = TRUE)$conf.int[1:2], "\n")
cat("\nother scenarios: t.test(differences)\n")
cat(t.test(c(-0.4, -0.2, 0, -0.3, 0.1, -0.25, -0.35))$conf.int[1:2], "\n")
cat("\npass@3 and pass^3 of 3 passes in 10, of 7 in 10\n")
cat(1 - choose(7, 3) / choose(10, 3), choose(7, 3) / choose(10, 3), "\n")

# Strata are c(passed of base, tested of base, passed of head, tested of head).
passes <- function(strata) {
  d <- 1; first <- 0; observed <- 0
  for (s in strata) {
    k <- s[1] + s[3]
    x <- max(0, k - s[2]):min(k, s[4])
    p <- dhyper(x, s[4], s[2], k)
    sum <- rep(0, length(d) + length(p) - 1)
    for (i in seq_along(d)) sum[i:(i + length(p) - 1)] <- sum[i:(i + length(p) - 1)] + d[i] * p
    d <- sum; first <- first + x[1]; observed <- observed + s[3]
  }
  list(x = first + seq_along(d) - 1, d = d, observed = observed)
}
mid_p <- function(strata) with(passes(strata),
  min(1, 2 * (min(sum(d[x < observed]), sum(d[x > observed])) + d[x == observed] / 2)))
two <- list(c(3, 5, 5, 5), c(1, 4, 3, 6))
cat("\nmid-p: sums of dhyper\n")
cat(mid_p(list(c(8, 10, 5, 10))), "\n")
cat(mid_p(list(c(0, 5, 0, 6), c(0, 6, 3, 6), c(2, 6, 6, 6), c(6, 6, 5, 6), c(5, 5, 2, 2))), "\n")
cat(mid_p(two), "\n")
cat("the same sums give the p of mantelhaen.test(exact = TRUE, alternative = 'greater') for the last:\n")
cat(with(passes(two), sum(d[x >= observed])), "\n")
cat(mantelhaen.test(array(c(5, 0, 3, 2, 3, 3, 1, 3), c(2, 2, 2)), exact = TRUE, alternative = "greater")$p.value, "\n")

boschloo <- function(a, n, b, m) {
  smaller <- function(x, y) min(phyper(y - 1, m, n, x + y, lower.tail = FALSE), phyper(y, m, n, x + y))
  region <- outer(0:n, 0:m, Vectorize(smaller)) <= smaller(a, b) * (1 + 1e-7)
  mass <- function(p) sum(outer(dbinom(0:n, n, p), dbinom(0:m, m, p))[region])
  grid <- seq(0.0005, 0.9995, by = 0.0005)
  values <- sapply(grid, mass)
  best <- grid[which.max(values)]
  max(values, optimize(mass, c(best - 0.0005, best + 0.0005), maximum = TRUE, tol = 1e-12)$objective)
}
cat("\nBoschloo: a grid of 1999 pass rates, refined with optimize\n")
for (x in list(c(3, 3, 0, 3), c(8, 10, 5, 10), c(6, 10, 9, 10), c(50, 100, 65, 100), c(7, 15, 12, 13), c(1, 4, 6, 7), c(2, 9, 5, 6)))
  cat(x, ":", boschloo(x[1], x[2], x[3], x[4]), "\n")
