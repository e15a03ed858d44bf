#!/bin/sh
# Prints one TSV table: scene, engine, metric, value. Arguments: an extended regular expression on "scene program variant" (default: all).
# HUMANOID_XML names MuJoCo's humanoid model for S5m. NATIVE names a folder of replacement shared libraries built for this
# machine; engines found there run a second time, labelled +native.
set -u
cd "$(dirname "$0")"
pick=${1:-.}
OUT=${OUT:-../../build/bench}
export OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1
one() { # scene program variant
  cap=${CAP:-6}; case $1 in S3*) cap=${CAP:-12};; esac
  v=$3; [ "$v" = - ] && v=
  CAP=$cap timeout 400 "$OUT/$2" "$1" ${v:+"$v"} 2>/dev/null | awk -F '\t' 'NF == 4'
}
printf 'scene\tengine\tmetric\tvalue\n'
grep -v '^#' matrix | while read -r scene rest; do
  progs= vars=
  for w in $rest; do if [ -z "$vars" ] && [ -e "$w.c" -o -e "$w.cpp" ] || echo " mujoco3 bulletf bulletd " | grep -q " $w "; then progs="$progs $w"; else vars="$vars $w"; fi; done
  for p in $progs; do
    [ -x "$OUT/$p" ] || continue
    for v in $vars; do
      echo "$scene $p $v" | grep -Eq "$pick" || continue
      one "$scene" "$p" "$v"
      if [ -n "${NATIVE:-}" ]; then case $p in ode|bulletf|bulletd|chipmunk|box2d|mujoco3) LD_LIBRARY_PATH=$NATIVE TAG=+native one "$scene" "$p" "$v";; esac; fi
    done
  done
done
