#!/bin/sh
# Certificates of all programs of some folders whose assertions hold: of which program each speaks, whether `rely certify`
# accepts it, and whether z3 and cvc5 confirm its obligations, if it has any.
#
#     benchmarks/certificates.sh [path of rely [folder...]]
rely=$(realpath "${1:-target/release/rely}")
cd "$(dirname "$0")/.." || exit 1
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- examples benchmarks/deductive benchmarks/pacman benchmarks/popl11 benchmarks/redcomp benchmarks/regasol
folder=$(mktemp -d) || exit 1
trap 'rm -rf "$folder"' EXIT
for program in $(find "$@" -name '*.c' -o -name '*.rely' | sort); do
    rm -f "$folder/proof.json"
    "$rely" check -q -p assert --timeout 20 --certificate "$folder/proof.json" "$program" > "$folder/said" 2>&1
    grep -q ': safe (assert)' "$folder/said" && [ -f "$folder/proof.json" ] || continue
    about=$(grep -o '"about":"[a-z]*"' "$folder/proof.json" | cut -d'"' -f4)
    "$rely" certify --timeout 60 "$folder/proof.json" "$program" > /dev/null 2>&1
    line="$about certified=$?"
    for solver in z3 cvc5; do
        "$rely" certify --timeout 60 --solver "$solver" "$folder/proof.json" "$program" > "$folder/said" 2>&1
        case $? in
            0) line="$line $solver=confirms" ;;
            *) tr -s ' \n' ' ' < "$folder/said" | grep -q 'by exhaustion' && line="$line $solver=states" || line="$line $solver=no" ;;
        esac
    done
    echo "$line $program"
done | tee "$folder/all"
cut -d' ' -f1-4 "$folder/all" | sort | uniq -c
