import { type Command, script } from '@fleet/shell'
import { PRIVATE_DNS } from '#/dns/commands/library.ts'
import type { DnsPlace } from '#/dns/release.ts'

/** Ends the private DNS and takes everything of it away. Answers `removed`, or refuses. */
export const removeDns = ({ root }: DnsPlace): Command => script(SOURCE, root)

export const removeReasons = { write_failed: 'dns.write_failed' } as const

const SOURCE = `# remove the private DNS
${PRIVATE_DNS}
for unit in $names; do
  [ ! -e "$units/$unit" ] || systemctl disable --now "$unit" || refuse write_failed
done
for unit in $names; do rm -f -- "$units/$unit" || refuse write_failed; done
systemctl daemon-reload
rm -rf -- "$directory" || refuse write_failed
field removed yes
`
