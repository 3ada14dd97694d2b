#!/bin/sh
# check.sh WORKTREE [runs] [turns] [judges] [runs-all] [turns-all] [judges-all]   (default: runs turns judges, quick)
# Compares WORKTREE with the stored outputs of the old code (e0623e7); exit 1 on any unintended difference.
tree=$(realpath "$1"); shift
home=/tmp/w/golden
[ -f "$tree/benchmarks/same_results.py" ] && [ -f "$tree/benchmarks/same_results_inputs.py" ] && home=$tree
quick=""; all=""
for part in ${*:-runs turns judges}; do
  case $part in
    runs|turns|judges) quick="$quick,$part" ;;
    runs-all|turns-all|judges-all) all="$all,${part%-all}" ;;
    *) echo "unknown part $part" >&2; exit 2 ;;
  esac
done
python=/work/main/.venv/bin/python
status=0
cd $home || exit 2
[ -n "$quick" ] && { nice $python -m benchmarks.same_results /tmp/w/base "$tree" --data /work/shared/data --parts "${quick#,}" --quick --old-outputs /tmp/w/golden_data/quick || status=1; }
[ -n "$all" ] && { nice $python -m benchmarks.same_results /tmp/w/base "$tree" --data /work/shared/data --parts "${all#,}" --old-outputs /tmp/w/golden_data/all || status=1; }
exit $status
