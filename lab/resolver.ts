import { lstatSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

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

/**
 * Gives a host the name servers of this machine, in the way its own resolver reads them: where systemd-resolved is
 * installed, /etc/resolv.conf is its link, and the servers are a setting of it.
 */
export function giveResolvers(root: string): void {
  const text = resolverText()
  if (!isLink(join(root, 'etc/resolv.conf'))) {
    writeFileSync(join(root, 'etc/resolv.conf'), text)
    return
  }
  const servers = [...text.matchAll(/^nameserver\s+(\S+)/gm)].map(([, server]) => server)
  mkdirSync(join(root, SETTINGS), { recursive: true })
  writeFileSync(join(root, SETTINGS, 'uplink.conf'), `[Resolve]\nDNS=${servers.join(' ')}\n`)
}

const SETTINGS = 'etc/systemd/resolved.conf.d'

const isLink = (path: string): boolean =>
  lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true
