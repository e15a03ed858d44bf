#!/bin/sh
# Instructions per step, free of timing noise: valgrind counts a full run minus a run of zero steps. About 4 minutes.
# Build first with "ARCH= OUT=../../build/bench-generic ./build.sh", then OUT=../../build/bench-generic ./icount.sh. Arguments: a regular expression on the list below.
set -u
cd "$(dirname "$0")"; OUT=${OUT:-../../build/bench}
ir() { ICOUNT=$1 valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null "$OUT/$3" "$2" "$4" 2>&1 | awk '/I +refs/ { gsub(",", "", $NF); i = $NF } $1 == "ran" { n = $2 } END { print i, n }'; }
printf 'scene\tengine\tmetric\tvalue\n'
while read -r s e v; do
  [ -x "$OUT/$e" ] && echo "$s $e $v" | grep -Eq "${1:-.}" || continue
  echo "$(ir 1 "$s" "$e" "$v") $(ir 0 "$s" "$e" "$v")" | awk -v s="$s" -v e="$e/$v" '{ printf "%s\t%s\tinstructions_per_step\t%.0f\n", s, e, ($1 - $3) / $2 }'
done <<L
S2c mujoco newton
S2c mujoco cg
S2c mujoco3 newton
S2c mujoco3 cg
S2c ode quick20
S2c ode step
S2c bulletf si10
S2c bulletd si10
S2c dart dantzig
S4 mujoco3 newton-ell
S4 ode quick20
S4 bulletf si10
S4 bulletd si10
S5c mujoco newton
S5c mujoco3 newton
S5c mujoco3 cg
S5c ode quick20
S5c ode step
S5c bulletf si10
S5c bulletd si10
S5c dart dantzig
L
