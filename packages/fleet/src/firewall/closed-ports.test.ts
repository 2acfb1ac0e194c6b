import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Listener } from '@fleet/shell'
import { closedPorts, closedText } from '#/firewall/closed-ports.ts'
import { ownRule } from '#/firewall/ufw/rule.ts'

const listener = (place: string, name?: string): Listener => {
  const [protocol = '', address = '', port] = place.split(' ')
  const program = name === undefined ? undefined : { name, pid: 7 }
  return { protocol: protocol === 'udp' ? 'udp' : 'tcp', address, port: Number(port), program }
}

const closedOf = (
  listeners: readonly Listener[],
  rules: Parameters<typeof closedPorts>[1] = [],
  published: readonly string[] = [],
): readonly string[] =>
  closedPorts({ listeners, published }, rules).map(({ protocol, port }) => `${protocol} ${port}`)

test('a port that others reach at any address is closed once, and one of the machine itself never was open', () => {
  const found = closedOf([
    listener('tcp 0.0.0.0 443', 'nginx'),
    listener('tcp :: 443', 'nginx'),
    listener('tcp 192.0.2.1 25', 'exim4'),
    listener('tcp * 8080', 'java'),
    listener('tcp 127.0.0.1 5432', 'postgres'),
    listener('tcp ::1 5432', 'postgres'),
    listener('udp fe80::1 547', 'dhcp'),
    listener('udp 169.254.0.1 53', 'dns'),
  ])
  assert.deepEqual(found, ['tcp 25', 'tcp 443', 'tcp 8080'])
})

test('UDP sockets of services count, those that ask others or that UFW admits by itself do not', () => {
  const found = closedOf([
    listener('udp 0.0.0.0 51820'),
    listener('udp 0.0.0.0 1194', 'openvpn'),
    listener('udp 0.0.0.0 41641', 'avahi-daemon'),
    listener('udp 0.0.0.0 68', 'dhclient'),
    listener('udp 0.0.0.0 5353', 'avahi-daemon'),
    listener('tcp 0.0.0.0 5355', 'systemd-resolve'),
    listener('tcp 0.0.0.0 41641', 'game'),
  ])
  assert.deepEqual(found, ['udp 1194', 'tcp 41641', 'udp 51820'])
})

test('a rule that admits somebody from outside keeps a port open, and what a container publishes passes by all of them', () => {
  const listeners = ['80', '443', '8000', '9000', '53'].map((port) => listener(`tcp 0.0.0.0 ${port}`, 'app'))
  const rules = [
    ownRule({ action: 'allow', protocol: 'tcp', port: '22,80' }),
    ownRule({ action: 'limit', port: '8000:8100', source: '192.0.2.0/24' }),
    ownRule({ action: 'allow', protocol: 'udp', port: '443' }),
    ownRule({ action: 'allow', interfaceIn: 'fleet' }),
    ownRule({ action: 'allow', direction: 'out', port: '443' }),
    ownRule({ action: 'deny', protocol: 'tcp', port: '443' }),
  ]
  assert.deepEqual(closedOf(listeners, rules, ['tcp 9000', 'udp 53']), ['tcp 53', 'tcp 443'])
})

test('the command for each port is complete, with a name that rules can have', () => {
  const said = closedText(
    'web-1',
    closedPorts(
      {
        listeners: [
          listener('udp 0.0.0.0 51820'),
          listener('udp 0.0.0.0 1194', '_OpenVPN@'),
          listener('tcp * 80', 'nginx'),
        ],
        published: [],
      },
      [],
    ),
    ['tcp 8080', 'udp 53'],
  )
  assert.deepEqual(said, [
    'The firewall of web-1 is on now, and closes these ports to all but the private network: 80/tcp (nginx), 1194/udp (_OpenVPN@), 51820/udp (the kernel). Each command opens one again:',
    'fleet node:firewall:allow web-1 nginx-80 80',
    'fleet node:firewall:allow web-1 openvpn-1194-udp 1194 --protocol udp',
    'fleet node:firewall:allow web-1 port-51820-udp 51820 --protocol udp',
    'Containers on web-1 publish 8080/tcp, 53/udp: over IPv4 these ports bypass the firewall, and stay open.',
  ])
  assert.deepEqual(closedText('web-1', [], []), [])
})
