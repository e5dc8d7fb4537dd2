# SPDX-License-Identifier: BSD-3-Clause
# stats.R PROGRAM: what the program finds in random data sets is what R's wilcox.test(), qbinom(),
# median() and p.adjust() find.  Exact p with ties, which R does not have, are counted here: by trying
# everything where that is feasible, else by products of polynomials, a factor for each group of ties.
program <- commandArgs(TRUE)[1]
set.seed(20110)
options(warn = -1, digits = 17)
n_test <- 0
failed <- FALSE

# Rows of both are the same to 1e-9 of their size, or both NaN.
same <- function(name, got, want, data) {
	got <- as.matrix(got)
	want <- as.matrix(want)
	alike <- dim(got) == dim(want)
	bad <- if (all(alike)) which(rowSums(!(is.na(got) & is.na(want) |
		!is.na(got) & !is.na(want) & abs(got - want) <= 1e-9 * abs(want))) > 0) else 1
	bad <- if (nrow(want) < 1) 1 else bad
	n_test <<- n_test + 1
	cat(if (length(bad)) "not ok " else "ok ", n_test, " - ", name, " (", nrow(want), ")\n", sep = "")
	for (i in head(bad, 3)) {
		failed <<- TRUE
		cat("# got ", got[i, ], "\n# want", want[i, ], "\n# of  ", substr(data[i], 1, 800), "\n")
	}
}

line <- function(...) paste(c(...), collapse = " ")
numbers <- function(x) sprintf("%.17g", x)
run <- function(lines) {
	out <- system2(program, input = lines, stdout = TRUE)
	lapply(strsplit(out, " "), as.numeric)
}

# --- the distribution of ranks that are as they are

# Columns are the coefficients of sums from 0 on, rows how many are chosen of the score's group.
group <- function(ways, score, n) {
	sum <- matrix(0, nrow(ways), ncol(ways))
	for (k in 0:min(n, nrow(ways) - 1)) {
		rows <- seq_len(nrow(ways) - k)
		columns <- seq_len(max(ncol(ways) - k * score, 0))
		sum[rows + k, columns + k * score] <- sum[rows + k, columns + k * score] +
			choose(n, k) * ways[rows, columns]
	}
	sum
}

twice_smaller_tail <- function(below, above) min(1, 2 * min(below, above))

tied_rank_sum <- function(a, b) {
	score <- 2 * rank(c(a, b))
	n <- length(a)
	statistic <- sum(score[seq_len(n)])
	if (choose(length(score), n) <= 3000) {
		sums <- combn(score, n, sum)
		return(twice_smaller_tail(mean(sums <= statistic), mean(sums >= statistic)))
	}
	if (n > length(b))
		return(tied_rank_sum(b, a))
	ways <- matrix(0, n + 1, sum(tail(sort(score), n)) + 1)
	ways[1, 1] <- 1
	groups <- table(score)
	for (g in seq_along(groups))
		ways <- group(ways, as.numeric(names(groups)[g]), groups[[g]])
	share <- ways[n + 1, ] / sum(ways[n + 1, ])
	sums <- seq_along(share) - 1
	twice_smaller_tail(sum(share[sums <= statistic]), sum(share[sums >= statistic]))
}

tied_signed_rank <- function(d) {
	score <- 2 * rank(abs(d))
	statistic <- sum(score[d > 0])
	if (length(d) <= 12) {
		signs <- as.matrix(expand.grid(rep(list(0:1), length(d))))
		sums <- signs %*% score
		return(twice_smaller_tail(mean(sums <= statistic), mean(sums >= statistic)))
	}
	share <- 1
	groups <- table(score)
	for (g in seq_along(groups)) {
		factor <- numeric(groups[[g]] * as.numeric(names(groups)[g]) + 1)
		factor[1 + (0:groups[[g]]) * as.numeric(names(groups)[g])] <-
			dbinom(0:groups[[g]], groups[[g]], 0.5)
		more <- numeric(length(share) + length(factor) - 1)
		for (i in which(factor > 0))
			more[i - 1 + seq_along(share)] <- more[i - 1 + seq_along(share)] + factor[i] * share
		share <- more
	}
	sums <- seq_along(share) - 1
	twice_smaller_tail(sum(share[sums <= statistic]), sum(share[sums >= statistic]))
}

# --- what is to be found

# By order statistics of the differences; outside is the probability of a statistic of at most that.
by_order <- function(differences, level, q, outside) {
	differences <- sort(differences)
	k <- max(q, 1)
	covers <- 1 - 2 * outside(k - 1)
	if (covers < level)
		return(c(median(differences), NaN, NaN, NaN))
	c(median(differences), differences[k], differences[length(differences) + 1 - k], covers)
}

# The largest k for which P(at most k - 1) is at most (1 - level) / 2, by the normal distribution.
normal_k <- function(mean, sd, level) floor(mean + 0.5 + qnorm((1 - level) / 2) * sd)

rank_sum <- function(a, b, level) {
	n <- length(a)
	m <- length(b)
	ties <- anyDuplicated(c(a, b)) > 0
	exact <- n * m < 2500
	few <- min(n, m)
	tied_exact <- sum(pmin(table(c(a, b)), few)) * few * n * m <= 500000
	if (!ties && exact) {
		r <- wilcox.test(b, a, exact = TRUE, conf.int = TRUE, conf.level = level)
		covers <- 1 - 2 * pwilcox(max(qwilcox((1 - level) / 2, n, m), 1) - 1, n, m)
		interval <- if (covers < level) c(NaN, NaN, NaN) else c(r$conf.int, covers)
		return(c(r$p.value, r$estimate, interval, 1))
	}
	p <- if (all(c(a, b) == a[1])) NaN
	else if (ties && tied_exact) tied_rank_sum(a, b)
	else wilcox.test(b, a, exact = FALSE)$p.value
	mean <- n * m / 2
	sd <- sqrt(n * m * (n + m + 1) / 12)
	c(p, if (exact) by_order(outer(b, a, "-"), level, qwilcox((1 - level) / 2, n, m),
			function(w) pwilcox(w, n, m))
		else by_order(outer(b, a, "-"), level, normal_k(mean, sd, level),
			function(w) pnorm(w + 0.5, mean, sd)),
		!is.nan(p) && ties && tied_exact)
}

signed_rank <- function(d, level) {
	n <- length(d)
	rest <- d[d != 0]
	ties <- anyDuplicated(abs(rest)) > 0 || length(rest) < n
	if (!ties && n < 50) {
		r <- wilcox.test(d, exact = TRUE, conf.int = TRUE, conf.level = level)
		covers <- 1 - 2 * psignrank(max(qsignrank((1 - level) / 2, n), 1) - 1, n)
		interval <- if (covers < level) c(NaN, NaN, NaN) else c(r$conf.int, covers)
		return(c(r$p.value, r$estimate, interval, 1))
	}
	exact <- length(rest) < 50
	p <- if (length(rest) == 0) NaN
	else if (exact) tied_signed_rank(rest)
	else wilcox.test(d, exact = FALSE)$p.value
	means <- outer(d, d, "+") / 2
	means <- means[upper.tri(means, diag = TRUE)]
	mean <- n * (n + 1) / 4
	sd <- sqrt(n * (n + 1) * (2 * n + 1) / 24)
	c(p, if (n < 50) by_order(means, level, qsignrank((1 - level) / 2, n), function(w) psignrank(w, n))
		else by_order(means, level, normal_k(mean, sd, level), function(w) pnorm(w + 0.5, mean, sd)),
		!is.nan(p) && exact)
}

order_statistics <- function(x, level) {
	k <- qbinom((1 - level) / 2, length(x), 0.5)
	c(median(x), if (k < 1) c(NaN, NaN, NaN)
		else c(x[k], x[length(x) + 1 - k], 1 - 2 * pbinom(k - 1, length(x), 0.5)))
}

# --- data

draw <- list(
	normal = function(n, shift) rnorm(n) + shift,
	lognormal = function(n, shift) exp(rnorm(n) + shift),
	large = function(n, shift) round(rnorm(n, 1e9, 1e7) + shift * 1e7),
	ties = function(n, shift) rpois(n, 2 + abs(shift)),
	few = function(n, shift) sample(0:1, n, TRUE, c(0.9, 0.1)) + round(shift),
	constant = function(n, shift) rep(round(shift), n)
)
kinds <- rep(names(draw), c(8, 4, 4, 6, 4, 1))

rows <- lapply(1:1000, function(i) {
	most <- if (i %% 10 == 0) 120 else 49
	few <- if (i %% 25 == 0) 3 else most
	kind <- sample(kinds, 1)
	list(kind = kind, level = sample(c(0.95, 0.99), 1),
		a = draw[[kind]](sample(2:few, 1), 0),
		b = draw[[kind]](sample(2:most, 1), sample(c(0, 0, 0.3, 1, -2), 1)),
		d = draw[[kind]](sample(2:most, 1), 0) -
			if (kind %in% c("ties", "few")) sample(0:2, 1) else draw[[kind]](1, sample(0:1, 1)))
})

compare <- function(name, lines, want) {
	got <- run(lines)
	want <- do.call(rbind, want)
	got <- if (length(got) == nrow(want)) do.call(rbind, got) else matrix(NaN, 1, 1)
	kind <- sapply(rows, `[[`, "kind")
	if (nrow(want) != length(rows) || nrow(got) != nrow(want))
		return(same(name, got, want, lines))
	for (k in unique(kind))
		same(paste0(name, ", ", k), got[kind == k, , drop = FALSE], want[kind == k, , drop = FALSE],
			lines[kind == k])
}

compare("rank sums", sapply(rows, function(r)
	line("rank_sum", r$level, length(r$a), numbers(r$a), numbers(r$b))),
	lapply(rows, function(r) rank_sum(r$a, r$b, r$level)))
compare("signed ranks", sapply(rows, function(r) line("signed_rank", r$level, numbers(r$d))),
	lapply(rows, function(r) signed_rank(r$d, r$level)))
compare("order statistics", sapply(rows, function(r)
	line("order", r$level, numbers(sort(r$a)))),
	lapply(rows, function(r) order_statistics(sort(r$a), r$level)))

sizes <- expand.grid(1:49, 1:49)
compare("smallest p", sprintf("smallest %d %d", sizes[, 1], sizes[, 2]),
	apply(sizes, 1, function(n) c(2 / choose(n[1] + n[2], n[1]), 2^(1 - n[1])), simplify = FALSE))

# --- samples: Fisher's test by R's hypergeometric distribution, Student's by its own, intervals of prop.test(), which are
# where (part - of * share)^2 is limit^2 * of * share * (1 - share); of rates without the last factor

vary <- function(a, b, of_a, of_b, variance) {
	if (length(a) + length(b) == 2)
		return(1)
	off <- c((a - of_a * sum(a) / sum(of_a))^2 / of_a, (b - of_b * sum(b) / sum(of_b))^2 / of_b)
	sum(off) / variance / (length(off) - 2)
}

newcombe <- function(a, b, in_a, in_b)
	b - a + c(-sqrt((b - in_b[1])^2 + (in_a[2] - a)^2), sqrt((in_b[2] - b)^2 + (a - in_a[1])^2))

ends <- function(...) pmax(sort(Re(polyroot(c(...)))), 0)

# prop.test() knows no Student's limits.
share_interval <- function(part, of, limit) {
	if (limit < 2.6)
		return(prop.test(part, of, conf.level = 2 * pnorm(limit) - 1, correct = FALSE)$conf.int[1:2])
	ends(part^2, -2 * part * of - limit^2 * of, of^2 + limit^2 * of)
}

rate_interval <- function(part, of, limit) ends(part^2, -2 * part * of - limit^2 * of, of^2)

sampled <- function(a, b, of_a, of_b, level) {
	n <- c(sum(of_a), sum(of_b))
	part <- c(sum(a), sum(b))
	freedom <- length(a) + length(b) - 2
	mean <- sum(part) / sum(n)
	varies <- vary(a, b, of_a, of_b, mean * (1 - mean))
	below <- part[1] <= n[1] * mean
	p <- min(1, 2 * phyper(part[1] - !below, n[1], n[2], sum(part), lower.tail = below))
	share <- part / n
	if (freedom > 0)
		p <- max(p, 2 * pt(-abs(diff(share)) / sqrt(varies * mean * (1 - mean) * sum(1 / n)), freedom))
	limit <- if (freedom > 0) qt(1 - (1 - level) / 2, freedom) else qnorm(1 - (1 - level) / 2)
	wider <- max(varies, 1)
	rates_wider <- max(vary(a, b, of_a, of_b, mean), 1)
	c(p, diff(share), newcombe(share[1], share[2], share_interval(part[1] / wider, n[1] / wider, limit),
		share_interval(part[2] / wider, n[2] / wider, limit)), freedom == 0,
		newcombe(share[1], share[2], rate_interval(part[1] / rates_wider, n[1] / rates_wider, limit),
			rate_interval(part[2] / rates_wider, n[2] / rates_wider, limit)))
}

draw_runs <- function(n, share, spread) {
	of <- sample(20:3000, n, TRUE)
	own <- pmin(pmax(rnorm(n, share, spread), 0.001), 0.999)
	list(of = of, part = rbinom(n, of, own))
}

samples <- lapply(1:1000, function(i) {
	share <- sample(c(0.005, 0.1, 0.5, 0.97), 1)
	spread <- sample(c(0, 0, 0.02), 1)
	repeat {
		a <- draw_runs(if (i %% 2) 1 else sample(1:8, 1), share, spread)
		b <- draw_runs(if (i %% 2) 1 else sample(1:8, 1), share + sample(c(0, 0, 0.02, -0.1), 1), spread)
		if (sum(a$part) + sum(b$part) > 0 && sum(a$part) + sum(b$part) < sum(a$of) + sum(b$of))
			break
	}
	list(level = sample(c(0.95, 0.99), 1), a = a, b = b)
})
same("shares and rates of samples",
	do.call(rbind, run(sapply(samples, function(s) line("shares", s$level, length(s$a$of), length(s$b$of),
		s$a$part, s$b$part, s$a$of, s$b$of)))),
	do.call(rbind, lapply(samples, function(s) sampled(s$a$part, s$b$part, s$a$of, s$b$of, s$level))),
	sapply(samples, function(s) line(s$a$part, s$b$part, s$a$of, s$b$of)))

families <- lapply(1:200, function(i) {
	p <- runif(sample(1:60, 1))^sample(1:9, 1)
	p[runif(length(p)) < 0.1] <- NaN
	p
})
for (name in c("families, adjusted by Holm")) {
	got <- run(sapply(families, function(p) line("holm", numbers(p))))
	want <- lapply(families, function(p) ifelse(is.nan(p), NaN, p.adjust(p, "holm")))
	same(name, unlist(got), unlist(want), rep("", length(unlist(want))))
}

cat("1..", n_test, "\n", sep = "")
quit(status = as.numeric(failed))
