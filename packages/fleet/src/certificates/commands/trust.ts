import { Secret } from '@fleet/kernel'
import { type Command, script, withStdin } from '@fleet/shell'
import { ROOT_FILES } from '#/nodes/api.ts'

/** Puts the root into the system store, where it is not. Answers `trusted` with `installed` or `unchanged`, or refuses. */
export const trustRoot = (root: string, certificate: string, sha256: string): Command =>
  withStdin(script(INSTALL, root, sha256), new Secret(certificate))

/** Takes it out again. Answers `removed`, or refuses. */
export const distrustRoot = (root: string): Command => script(REMOVE, root)

const STORE = `${ROOT_FILES}
root=$1
file=$root/usr/local/share/ca-certificates/fleet-gateway.crt
link=$root/etc/ssl/certs/fleet-gateway.pem
bundle=$root/etc/ssl/certs/ca-certificates.crt
`

const INSTALL = `# trust the fleet root
${STORE}
wanted=$2
umask 022
# The third line of a certificate is part of its serial number, names or key: no other one has it.
held() {
  [ "$(sound 644 "$file")" = "$wanted" ] && [ "$(sha256sum <"$link" | cut -c 1-64)" = "$wanted" ] &&
    grep -qxF -- "$(sed -n 3p "$file")" "$bundle"
}
if held; then field trusted unchanged; exit; fi
command -v update-ca-certificates >/dev/null || refuse store_missing
mkdir -p -- "\${file%/*}" && put 644 "$file" || refuse trust_failed
update-ca-certificates >/dev/null </dev/null && sync "$bundle" && held || refuse trust_failed
field trusted installed
`

const REMOVE = `# trust the fleet root no more
${STORE}
if [ -e "$file" ] || [ -L "$file" ] || [ -L "$link" ]; then
  rm -f -- "$file" || refuse trust_failed
  update-ca-certificates >/dev/null </dev/null && [ ! -e "$link" ] || refuse trust_failed
fi
field removed yes
`
