#!/usr/bin/env bash
# Builds one program per peer engine into OUT (default build/bench of the repository); what is newer than its source is kept.
# With "deps" as first argument it first installs the Debian packages that are missing (root, or sudo).
# MUJOCO_DIR (with include/ and libmujoco.so) adds mujoco3; BOX2D3_DIR (include/ and libbox2d3.so) adds box2d3.
# BOX3D_DIR (a copy of Box3D's sources) adds box3d, its library compiled as the adapter is.
# The Routh adapter routh.c is built by ../CMakeLists.txt, with the library.
set -eu
# shellcheck disable=SC2086 # commands are lists of words here
cd "$(dirname "$0")"
PACKAGES="gcc g++ libmujoco-dev libode-dev libbullet-dev libdart-dev libdart-collision-bullet-dev
  libdart-collision-ode-dev libdart-external-ikfast-dev libdart-external-odelcpsolver-dev libsimbody-dev
  libsiconos-kernel-dev libsiconos-numerics-dev libsiconos-mechanics-dev libchipmunk-dev libbox2d-dev libccd-dev
  libsundials-dev libeigen3-dev"
if [ "${1:-}" = deps ]; then
  missing=
  for p in $PACKAGES; do
    dpkg-query -W -f '${Status}' "$p" 2>/dev/null | grep -q 'ok installed' || missing="$missing $p"
  done
  if [ -n "$missing" ]; then
    as_root=; [ "$(id -u)" = 0 ] || as_root=sudo
    echo "installing$missing" >&2
    $as_root apt-get -q update >&2 || true
    # shellcheck disable=SC2086
    $as_root apt-get -q -o DPkg::Lock::Timeout=300 install -y --no-install-recommends $missing >&2
  fi
fi
OUT=${OUT:-../../build/bench}; mkdir -p "$OUT"
W="-Wall -Wextra -Wno-unused-function"
ARCH=${ARCH--march=native}   # ARCH= for instruction counts under valgrind (no AVX-512 there)
C="${CC:-gcc} -O3 $ARCH $W -std=gnu11"
X="${CXX:-g++} -O3 $ARCH $W -std=gnu++17"
B="-isystem /usr/include/bullet"
# try NAME SOURCE COMMAND...: a peer that cannot be built is left out, the rest go on
try() {
  n=$1; s=$2; shift 2
  if [ "$OUT/$n" -nt "$s" ] && [ "$OUT/$n" -nt bench.h ] && [ "$OUT/$n" -nt humanoid.h ] && [ "$OUT/$n" -nt pyramids.h ]; then return; fi
  rm -f "$OUT/$n"
  if "$@" -o "$OUT/$n" 2>"$OUT/$n.log"; then echo "built $n" >&2; else echo "SKIPPED $n (see $OUT/$n.log)" >&2; fi
}
try mujoco mujoco.c $C mujoco.c -lmujoco -lm
try ode ode.c $C ode.c -lode -lm
try bulletf bullet.cpp $X $B bullet.cpp -lBulletDynamics -lBulletCollision -lLinearMath
try bulletd bullet.cpp $X -DBT_USE_DOUBLE_PRECISION $B bullet.cpp -lBulletDynamics-float64 -lBulletCollision-float64 \
  -lLinearMath-float64
# Eigen's alignment follows the target: DART must be compiled for the architecture of its package, not for ours.
try dart dart.cpp ${CXX:-g++} -O3 $W -std=gnu++17 -isystem /usr/include/eigen3 dart.cpp -Wl,--no-as-needed \
  -ldart-collision-bullet -ldart-collision-ode -ldart -lassimp
try simbody simbody.cpp $X -isystem /usr/include/simbody simbody.cpp -lSimTKsimbody -lSimTKmath -lSimTKcommon
S=/usr/include/siconos
try siconos siconos.cpp $X -w -I$S -I$S/kernel -I$S/mechanics -I$S/numerics $B siconos.cpp -lsiconos_mechanics \
  -lsiconos_kernel -lsiconos_numerics
try chipmunk chipmunk.c $C chipmunk.c -lchipmunk -lm
try box2d box2d.cpp $X box2d.cpp -lbox2d
try ccd ccd.c $C ccd.c -lccd -lm
try sundials sundials.c $C sundials.c -lsundials_cvode -lsundials_arkode -lsundials_nvecserial \
  -lsundials_sunnonlinsolfixedpoint -lm
if [ -n "${MUJOCO_DIR:-}" ]; then
  try mujoco3 mujoco.c $C -I"$MUJOCO_DIR/include" mujoco.c -L"$MUJOCO_DIR" -lmujoco -Wl,-rpath,"$MUJOCO_DIR" -lm
fi
if [ -n "${BOX2D3_DIR:-}" ]; then
  try box2d3 box2d3.c $C -I"$BOX2D3_DIR/include" box2d3.c -L"$BOX2D3_DIR" -lbox2d3 -Wl,-rpath,"$BOX2D3_DIR" -lm
fi
if [ -n "${BOX3D_DIR:-}" ]; then
  try box3d box3d.c $C -w -DNDEBUG -ffp-contract=off -I"$BOX3D_DIR/include" box3d.c "$BOX3D_DIR"/src/*.c -lm -lpthread
fi
