import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Command } from '@fleet/shell'
import { foreignListeners, takenText, takerOf } from './taken-port.ts'

const SOCKETS = `udp UNCONN 0 0    0.0.0.0:51820 0.0.0.0:*
udp UNCONN 0 0    0.0.0.0:51821 0.0.0.0:*
tcp LISTEN 0 511  10.44.0.1:443 0.0.0.0:* users:(("fleet",pid=41,fd=30))
tcp LISTEN 0 511  0.0.0.0:443 0.0.0.0:* users:(("nginx",pid=7,fd=6))
`

/** Programs of a machine that print this; what is not named fails. */
const printing = (texts: Readonly<Record<string, string>>) => ({
  attempt: async ({ line }: Command) => {
    const text = texts[line.split(' ')[0] ?? '']
    return { exitCode: text === undefined ? 1 : 0, stdout: Buffer.from(text ?? ''), stderr: Buffer.of() }
  },
})

test('listeners of the gateway process and of its tunnel are not foreign', async () => {
  const found = await foreignListeners(printing({ ss: SOCKETS, systemctl: '41\n', wg: '51820\n' }) as never) // Nothing else of the answer is read.
  assert.deepEqual(
    found.map(({ protocol, port, program }) => `${protocol} ${port} ${program?.name}`),
    ['udp 51821 undefined', 'tcp 443 nginx'],
  )
})

test('before an installation all listeners are foreign, and without ss none is known', async () => {
  const ports = async (texts: Readonly<Record<string, string>>) =>
    (await foreignListeners(printing(texts) as never)).map(({ port }) => port) // Nothing else of the answer is read.
  assert.deepEqual(await ports({ ss: SOCKETS, systemctl: '0\n' }), [51_820, 51_821, 443, 443])
  assert.deepEqual(await ports({ systemctl: '0\n' }), [])
})

test('who has every address of a port, or the wanted one, is its taker', () => {
  const listener = (address: string) =>
    ({ protocol: 'tcp', address, port: 443, program: { name: 'nginx', pid: 7 } }) as const
  const takes = (address: string): boolean =>
    takerOf([listener(address)], { protocol: 'tcp', port: 443, address: '10.44.0.1' }) !== undefined
  assert.deepEqual(['0.0.0.0', '*', '10.44.0.1', '192.0.2.1', '::'].map(takes), [
    true,
    true,
    true,
    false,
    false,
  ])
  assert.equal(takenText(listener('*')), 'Port 443 of this machine is in use by nginx (process 7).')
})
