# find Vite+
# Answers the first Vite+ of the login user and what it prints as its version.
for candidate in /opt/orbit/vite-plus/bin/vp "${HOME-}/.vite-plus/bin/vp" "${HOME-}/.local/share/vite-plus/bin/vp" \
  /usr/local/bin/vp; do
  if [ -f "$candidate" ] && [ -x "$candidate" ]; then
    field path "$candidate"
    field version "$("$candidate" --version </dev/null | head -c 4096)"
    exit 0
  fi
done
refuse missing
