import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ResolverFiles, upstreamsOf } from '#/dns/upstreams.ts'

const isTunnel = (address: string): boolean => address.startsWith('10.44.')
const upstreams = (given: Partial<ResolverFiles>): readonly string[] =>
  upstreamsOf({ resolved: undefined, plain: undefined, leases: '', ...given }, isTunnel)

const DHCLIENT = `lease {
  option domain-name-servers 192.0.2.1;
}
lease {
  interface "eth0";
  option domain-name-servers 192.0.2.8, 192.0.2.9;
  option routers 192.0.2.254;
}
`
const NETWORKD = 'ADDRESS=192.0.2.20\nDNS=192.0.2.5 192.0.2.6\nROUTER=192.0.2.254\n'

const CASES: ReadonlyArray<readonly [string, Partial<ResolverFiles>, readonly string[]]> = [
  [
    'what systemd-resolved asks',
    { resolved: 'nameserver 192.0.2.3\nnameserver 192.0.2.4\n' },
    ['192.0.2.3', '192.0.2.4'],
  ],
  [
    'it rather than the stub in /etc/resolv.conf',
    { resolved: 'nameserver 192.0.2.3\n', plain: 'nameserver 127.0.0.53\n' },
    ['192.0.2.3'],
  ],
  [
    '/etc/resolv.conf where there is no systemd-resolved',
    { plain: 'search a\nnameserver\t192.0.2.3  \n' },
    ['192.0.2.3'],
  ],
  [
    'no loopback, tunnel or IPv6 address, and each once',
    {
      plain:
        'nameserver 127.0.0.1\nnameserver 10.44.0.1\nnameserver ::1\nnameserver 2001:db8::1\n' +
        'nameserver 0.0.0.0\nnameserver 192.0.2.3\nnameserver 192.0.2.3\n#nameserver 192.0.2.9\n',
    },
    ['192.0.2.3'],
  ],
  [
    'the last lease of dhclient',
    { plain: 'nameserver 10.44.0.1\n', leases: DHCLIENT },
    ['192.0.2.8', '192.0.2.9'],
  ],
  ['the lease of systemd-networkd', { leases: NETWORKD }, ['192.0.2.5', '192.0.2.6']],
  ['public servers', { plain: 'nameserver 127.0.0.53\n', leases: 'DNS=10.44.0.1\n' }, ['1.1.1.1', '8.8.8.8']],
  [
    'public servers for files full of nonsense',
    { plain: 'nameserver 1.2.3\nnameserver 999.1.1.1\n' },
    ['1.1.1.1', '8.8.8.8'],
  ],
]

for (const [title, given, expected] of CASES) {
  test(`names from outside are asked of ${title} [RTX-107]`, () =>
    assert.deepEqual(upstreams(given), expected))
}
