import { readFileSync } from 'node:fs'

// Where systemd-resolved runs, /etc/resolv.conf names an address that only the machine itself can ask.
const FILES = ['/run/systemd/resolve/resolv.conf', '/etc/resolv.conf']

/** The name servers that this machine asks, as a host may ask them too. */
export function resolverText(): string {
  for (const file of FILES) {
    try {
      return readFileSync(file, 'utf8')
    } catch {
      // The next one, then none: a machine without name servers has hosts without them.
    }
  }
  return ''
}
