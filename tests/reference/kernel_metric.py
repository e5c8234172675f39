"""Plain NumPy twin of ``kernel/_metric``: descent of the widths or of the map of a kernel."""

import numpy as np

HALF, N_STEPS, STEP, DECAYS, N_AVERAGED, LAMBDA = 512, 30, 0.15, (0.8, 0.95), 12, 0.1


def exponent(form, parameters, groups, scale):
    """Return D(a - b) for differences of shape (..., n_features), with its derivatives."""
    if form == "map":
        d = len(parameters)
        L = scale * (np.eye(d) + parameters / np.sqrt(d))

        def distance(differences):
            return ((differences @ L.T) ** 2).sum(axis=-1)

        def derivatives(differences, weights):
            outer = np.einsum("ij,ijk,ijl->kl", weights, differences, differences)
            return 2.0 * scale / np.sqrt(d) * L @ outer

        return distance, derivatives
    theta = np.exp(parameters)[groups]
    power = 1 if form == "laplacian" else 2

    def distance(differences):
        return np.abs(differences) ** power @ theta

    def derivatives(differences, weights):
        by_feature = theta * np.einsum("ij,ijk->k", weights, np.abs(differences) ** power)
        return np.array([by_feature[groups == g].sum() for g in range(len(parameters))])

    return distance, derivatives


def loss_and_derivatives(form, parameters, log_lambda, groups, scale, A, B, Y_A, Y_B):
    """Return L, and its derivatives in the parameters and in log lambda."""
    distance, derivatives = exponent(form, parameters, groups, scale)
    among, between = A[:, None] - A, B[:, None] - A
    K_AA, K_BA = np.exp(-distance(among)), np.exp(-distance(between))
    H = K_AA + np.exp(log_lambda) * np.eye(len(A))
    alpha = np.linalg.solve(H, Y_A)
    R = K_BA @ alpha - Y_B
    v = np.linalg.solve(H, K_BA.T @ R / len(B))
    slope = derivatives(among, (v @ alpha.T) * K_AA)
    slope = slope - derivatives(between, (R @ alpha.T) / len(B) * K_BA)
    return 0.5 * np.sum(R**2) / len(B), slope, -np.exp(log_lambda) * np.sum(v * alpha)


def halves(weights, size, random):
    """Return two sets: every so-and-so much of the total weight of a random half is a sample."""
    order, n = random.permutation(len(weights)), len(weights) // 2
    sets = []
    for half in (order[:n], order[n : 2 * n]):
        offset, total = random.uniform(), sum(weights[i] for i in half)
        chosen, reached, k = [], 0.0, 0
        for i in half:
            reached += weights[i]
            while k < size and (k + offset) * total / size < reached:
                chosen.append(i)
                k += 1
        sets.append(np.array(chosen))
    return sets


def descend(form, start, groups, scale, Z, targets, weights, shrinkage, random):
    """Return the parameters after each step, and the relative hold-out error of each step."""
    n = len(Z)
    half = min(HALF, n // 2)
    share = weights / weights.sum()
    variance = sum(share @ (t - share @ t) ** 2 for t in targets.T)
    x, log_lambda = np.array(start), np.log(LAMBDA)
    m, s = np.zeros((2, x.size + 1))
    path, errors = [], []
    for step in range(N_STEPS):
        A, B = halves(weights, half, random)
        centre = targets[A].mean(axis=0)
        loss, slope, slope_of_lambda = loss_and_derivatives(
            form,
            x,
            log_lambda,
            groups,
            scale,
            Z[A],
            Z[B],
            targets[A] - centre,
            targets[B] - centre,
        )
        errors.append(2.0 * loss / variance)
        mean = np.mean(np.diagonal(x)) * np.eye(len(x)) if form == "map" else x.mean()
        slope = slope / (2.0 * loss) + shrinkage / n * (x - mean)
        g = np.append(slope.ravel(), slope_of_lambda / (2.0 * loss))
        m = DECAYS[0] * m + (1 - DECAYS[0]) * g
        s = DECAYS[1] * s + (1 - DECAYS[1]) * g**2
        m_hat, s_hat = m / (1 - DECAYS[0] ** (step + 1)), s / (1 - DECAYS[1] ** (step + 1))
        rate = STEP if step < N_STEPS / 2 else STEP * 2.0 * (1 - step / N_STEPS)
        move = rate * m_hat / (np.sqrt(s_hat) + 1e-8)
        x, log_lambda = x - move[:-1].reshape(x.shape), log_lambda - move[-1]
        path.append(x)
    return path, np.array(errors)
