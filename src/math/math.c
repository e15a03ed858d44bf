// The out-of-line part of routh/math.h: rotations and the eigenvalues of a symmetric 3x3 matrix.
#include <routh/math.h>

// Any non-zero length is accepted: an integrator's intermediate quaternions are not quite of unit length, and
// dividing by |q|^2 keeps R orthogonal for them.
// The largest of the four candidate components is taken first, so that nothing cancels.
rh_quat rh_quat_of_matrix(const rh_mat3 *R)
{
  const double *m = R->m;
  double t = m[0] + m[4] + m[8];
  rh_quat q;
  if (t >= m[0] && t >= m[4] && t >= m[8]) {
    q = (rh_quat){1 + t, m[7] - m[5], m[2] - m[6], m[3] - m[1]};
  } else if (m[0] >= m[4] && m[0] >= m[8]) {
    q = (rh_quat){m[7] - m[5], 1 + m[0] - m[4] - m[8], m[1] + m[3], m[2] + m[6]};
  } else if (m[4] >= m[8]) {
    q = (rh_quat){m[2] - m[6], m[1] + m[3], 1 - m[0] + m[4] - m[8], m[5] + m[7]};
  } else {
    q = (rh_quat){m[3] - m[1], m[2] + m[6], m[5] + m[7], 1 - m[0] - m[4] + m[8]};
  }
  q = rh_quat_unit(q);
  if (q.w < 0) {
    q = (rh_quat){-q.w, -q.x, -q.y, -q.z};
  }
  return q;
}

rh_quat rh_quat_exp(rh_vec3 phi)
{
  double half = 0.5 * rh_norm(phi);
  // sin(half) / (2 half); below 1e-4 the series is exact to the last bit
  double sine;
  double cosine;
  rh_sincos(half, &sine, &cosine);
  double k = half > 1e-4 ? 0.5 * sine / half : 0.5 - half * half / 12;
  rh_quat q = {cosine, k * phi.x, k * phi.y, k * phi.z};
  return q;
}

rh_vec3 rh_quat_log(rh_quat q)
{
  if (q.w < 0) { // the shorter way round
    q = (rh_quat){-q.w, -q.x, -q.y, -q.z};
  }
  rh_vec3 u = {q.x, q.y, q.z};
  double s = rh_norm(u);
  double k = s > 1e-10 * q.w ? 2 * rh_atan2(s, q.w) / s : 2 / q.w;
  return rh_scale(k, u);
}

rh_mat3 rh_axis_matrix(rh_vec3 a, double angle)
{
  double sine;
  double cosine;
  rh_sincos(angle, &sine, &cosine);
  return rh_axis_turn(a, sine, cosine);
}

rh_mat3 rh_axis_turn(rh_vec3 a, double s, double c)
{
  double d = 1 - c;
  rh_mat3 R = {{c + d * a.x * a.x, d * a.x * a.y - s * a.z, d * a.x * a.z + s * a.y,
                d * a.x * a.y + s * a.z, c + d * a.y * a.y, d * a.y * a.z - s * a.x,
                d * a.x * a.z - s * a.y, d * a.y * a.z + s * a.x, c + d * a.z * a.z}};
  return R;
}

rh_mat3 rh_rpy_matrix(double r, double p, double y)
{
  rh_mat3 Rx = rh_axis_matrix(rh_v3(1, 0, 0), r);
  rh_mat3 Ry = rh_axis_matrix(rh_v3(0, 1, 0), p);
  rh_mat3 Rz = rh_axis_matrix(rh_v3(0, 0, 1), y);
  rh_mat3 Rzy = rh_mat3_mul(&Rz, &Ry);
  return rh_mat3_mul(&Rzy, &Rx);
}

// One Jacobi rotation that clears element (p, q) of the symmetric matrix a; the columns of v turn too.
static void clear_element(double a[3][3], double v[3][3], int p, int q)
{
  if (a[p][q] == 0) {
    return;
  }
  double theta = (a[q][q] - a[p][p]) / (2 * a[p][q]);
  double t = (theta >= 0 ? 1 : -1) / (fabs(theta) + sqrt(theta * theta + 1));
  double c = 1 / sqrt(t * t + 1);
  double s = t * c;
  int k = 3 - p - q; // the third index
  double apk = a[p][k];
  double aqk = a[q][k];
  a[p][p] -= t * a[p][q];
  a[q][q] += t * a[p][q];
  a[p][q] = a[q][p] = 0;
  a[p][k] = a[k][p] = c * apk - s * aqk;
  a[q][k] = a[k][q] = s * apk + c * aqk;
  for (int i = 0; i < 3; i++) {
    double vp = v[i][p];
    v[i][p] = c * vp - s * v[i][q];
    v[i][q] = s * vp + c * v[i][q];
  }
}

void rh_sym3_eigen(const rh_sym3 *m, double e[3], rh_mat3 *R)
{
  double a[3][3] = {{m->xx, m->xy, m->xz}, {m->xy, m->yy, m->yz}, {m->xz, m->yz, m->zz}};
  double v[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  int order[3] = {0, 1, 2};
  for (int sweep = 0; sweep < 12; sweep++) { // converges quadratically: usually 5 sweeps suffice
    clear_element(a, v, 0, 1);
    clear_element(a, v, 0, 2);
    clear_element(a, v, 1, 2);
  }
  for (int i = 0; i < 2; i++) { // three numbers into ascending order
    for (int j = 0; j < 2 - i; j++) {
      if (a[order[j]][order[j]] > a[order[j + 1]][order[j + 1]]) {
        int swap = order[j];
        order[j] = order[j + 1];
        order[j + 1] = swap;
      }
    }
  }
  bool odd = (order[1] - order[0] + 3) % 3 == 2; // then the third axis is reversed
  for (int j = 0; j < 3; j++) {
    e[j] = a[order[j]][order[j]];
    for (int i = 0; i < 3; i++) {
      R->m[3 * i + j] = odd && j == 2 ? -v[i][order[j]] : v[i][order[j]];
    }
  }
}

void rh_sym3_eigenvalues(const rh_sym3 *m, double e[3])
{
  rh_mat3 axes;
  rh_sym3_eigen(m, e, &axes);
}
