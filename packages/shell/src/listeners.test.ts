import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readListeners } from './listeners.ts'

test('each listener has its protocol, address, port and program, as ss of Debian prints them', () => {
  const printed = `udp   UNCONN 0      0                                 0.0.0.0:51820      0.0.0.0:*
udp   UNCONN 0      0                         127.0.0.53%lo:53         0.0.0.0:*     users:(("systemd-resolve",pid=71,fd=15))
tcp   LISTEN 0      511                             0.0.0.0:80         0.0.0.0:*     users:(("nginx",pid=812,fd=6),("nginx",pid=811,fd=6))
tcp   LISTEN 0      128                                [::]:8498          [::]:*     users:(("python3",pid=5,fd=4))
tcp   LISTEN 0      128                                   *:443              *:*     users:(("my ;$(app)",pid=6,fd=3))
tcp   LISTEN 0      4096   [fe80::1%eth0]:5355               [::]:*
Netid State nothing
`
  assert.deepEqual(
    readListeners(printed).map(({ protocol, address, port, program }) => [
      `${protocol} ${address} ${port}`,
      program && `${program.name} ${program.pid}`,
    ]),
    [
      ['udp 0.0.0.0 51820', undefined],
      ['udp 127.0.0.53 53', 'systemd-resolve 71'],
      ['tcp 0.0.0.0 80', 'nginx 812'],
      ['tcp :: 8498', 'python3 5'],
      ['tcp * 443', 'my____app_ 6'],
      ['tcp fe80::1 5355', undefined],
    ],
  )
})
