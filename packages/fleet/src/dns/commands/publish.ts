import { Secret } from '@fleet/kernel'
import { type Command, script, withStdin } from '@fleet/shell'
import { PRIVATE_DNS } from '#/dns/commands/library.ts'
import type { DnsPlace } from '#/dns/release.ts'

export interface Publication {
  readonly text: string
  /** SHA-256 of the text in hex. */
  readonly sha256: string
}

/**
 * Makes the text the catalog and waits until the listener has loaded it; what it does not load gives way to the earlier one
 * (RTX-105). One round trip, also when nothing changes. Answers `published` with `unchanged` or `changed`, or refuses.
 */
export const publishCatalog = ({ root }: DnsPlace, { text, sha256 }: Publication): Command =>
  withStdin(script(SOURCE, root, sha256), new Secret(text))

export const publishReasons = {
  not_installed: 'dns.not_installed',
  busy: 'dns.busy',
  start_failed: 'dns.start_failed',
  write_failed: 'dns.write_failed',
  unconfirmed: 'dns.unconfirmed',
} as const

const SOURCE = `# publish private names
${PRIVATE_DNS}
wanted=$1
fresh=$catalog.fleet-new
earlier=$catalog.earlier
[ -f "$units/fleet-private-dns.service" ] || refuse not_installed
hold
if [ "$(sound 644 "$catalog")" = "$wanted" ] && confirmed "$wanted" && runs; then
  field published unchanged
  exit
fi

# One that failed too often would not be started again.
if ! runs; then systemctl reset-failed $names; systemctl start $names && runs || refuse start_failed; fi

rm -f -- "$fresh"
(set -C && cat >"$fresh") && [ "$(digest "$fresh")" = "$wanted" ] && chmod 644 "$fresh" && sync "$fresh" ||
  { rm -f -- "$fresh"; refuse write_failed; }
# A second name for what stands there: it comes back even when the disk is full.
rm -f -- "$earlier"
if [ -e "$catalog" ]; then ln -- "$catalog" "$earlier" || { rm -f -- "$fresh"; refuse write_failed; }; fi
mv -fT -- "$fresh" "$catalog" && sync "$directory" || refuse write_failed

if ! within 5 confirmed "$wanted"; then
  rm -f -- "$catalog.loaded"
  systemctl restart fleet-private-dns.service
  if ! within 5 confirmed "$wanted"; then
    if [ -e "$earlier" ]; then mv -fT -- "$earlier" "$catalog"; else rm -f -- "$catalog"; fi
    sync "$directory"
    refuse unconfirmed
  fi
fi
rm -f -- "$earlier"
field published changed
`
