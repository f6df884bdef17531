#!/bin/sh
# The programs P1-x, P2-x and the stacks of the reduction paper, for any x:
#
#     benchmarks/redcomp/generate.sh p1 50 > p1-50.c
#     benchmarks/redcomp/generate.sh p2 200 > p2-200.c
#     benchmarks/redcomp/generate.sh stack-safe 10 > stack-safe-10.c
#     benchmarks/redcomp/generate.sh stack-unsafe 10 > stack-unsafe-10.c
#
# As models, whose statements are single steps, P1-x and P2-x are the families `p1` and `p2` of `rely bench`:
#
#     rely bench generate p1 50
set -eu
cd "$(dirname "$0")"
case "${1:-}:${2:-}" in
p[12]:[1-9]*)
    awk -v kind="$1" -v x="$2" -f threads.awk
    ;;
stack-safe:[1-9]*)
    sed -e "s/@SIZE@/$2/g" -e '/@UNSAFE@/d' -e 's/ *\/\/ @SAFE@//' stack.c.in
    ;;
stack-unsafe:[1-9]*)
    sed -e "s/@SIZE@/$2/g" -e '/@SAFE@/d' -e 's/ *\/\/ @UNSAFE@//' stack.c.in
    ;;
*)
    echo "usage: $0 p1|p2|stack-safe|stack-unsafe NUMBER" >&2
    exit 2
    ;;
esac
