# descend DIRECTORY: walks into a repository-relative directory without following links; `absent` and `unsafe` in $reached say
# why it stopped.
descend() {
  rest=$1
  while [ -n "$rest" ]; do
    segment=$(printf '%s' "$rest" | cut -d / -f 1)
    rest=$(printf '%s' "$rest" | cut -s -d / -f 2-)
    if ! exists "./$segment"; then reached=absent; return; fi
    if [ -L "./$segment" ] || [ ! -d "./$segment" ] || ! cd -P -- "./$segment"; then reached=unsafe; return; fi
  done
  reached=directory
}
