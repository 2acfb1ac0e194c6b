import assert from 'node:assert/strict'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { chmodSync, writeFileSync } from 'node:fs'
import { test } from 'node:test'
import { run, script } from '@fleet/shell'
import { eventually, FakeClock, isRunning, startTestNode } from '@fleet/testing'
import ssh2, { type ServerChannel } from 'ssh2'
import { END_GROUP } from './execute.ts'
import { generateSshKey } from './keys.ts'
import { createSshPool, type SshPoolOptions } from './pool.ts'
import type { RunOptions } from './types.ts'

/** As sshd has it by default. */
const SESSIONS_MAX = 10
const LIMIT = { timeoutMilliseconds: 1000 }

test('commands whose end is not proven leave their connection to those that run over it, and the next ones get another', async () => {
  const clock = new FakeClock()
  await using host = await hangingHost()
  await using pool = host.pool({ clock })
  const hanging = Array.from({ length: 8 }, () => pool.run(host.target, run('true'), LIMIT))
  const rejected = hanging.map((one) => assert.rejects(one, { kind: 'timeout', sent: true }))
  await eventually(() => host.sessions() === 8)
  clock.advance(1000)
  await settled(clock, Promise.all(rejected))
  host.heal()
  for (let index = 0; index < 12; index += 1)
    assert.equal((await pool.run(host.target, run('true'), LIMIT)).exitCode, 0)
  assert.deepEqual([host.connections(), host.accepted()], [2, 2])
  // A command that wakes up late is ended until then.
  clock.advance(30_000)
  assert.equal((await pool.run(host.target, run('true'), LIMIT)).exitCode, 0)
  clock.advance(30_000)
  await passing(clock, () => host.connections() === 1)
  assert.equal((await pool.run(host.target, run('true'), LIMIT)).exitCode, 0)
  assert.equal(host.accepted(), 2)
})

test('a command that wakes up after its caller left is ended', async () => {
  const clock = new FakeClock()
  await using host = await hangingHost()
  await using pool = host.pool({ clock })
  const late = assert.rejects(pool.run(host.target, run('true'), LIMIT), { kind: 'timeout', sent: true })
  await eventually(() => host.sessions() === 1)
  clock.advance(1000)
  await settled(clock, late)
  host.heal()
  host.wake()
  await eventually(() => host.lines().some((line) => line.includes('end a process group')))
  await eventually(() => host.connections() === 0)
})

test('a command that runs on goes on over a connection that nobody new gets, and its end closes that', async () => {
  const clock = new FakeClock()
  await using host = await hangingHost()
  await using pool = host.pool({ clock })
  const long = pool.run(host.target, run('true'), { timeoutMilliseconds: 900_000 })
  const hanging = assert.rejects(pool.run(host.target, run('true'), LIMIT), { kind: 'timeout' })
  await eventually(() => host.sessions() === 2)
  clock.advance(1000)
  await settled(clock, hanging)
  clock.advance(300_000)
  host.heal()
  assert.equal((await pool.run(host.target, run('true'), LIMIT)).exitCode, 0)
  assert.equal(host.connections(), 2)
  host.wake()
  assert.equal((await long).exitCode, 0)
  await eventually(() => host.connections() === 1)
})

test('an ended pool ends the connections too that nobody new would get', async () => {
  const clock = new FakeClock()
  await using host = await hangingHost()
  const pool = host.pool({ clock })
  const hanging = assert.rejects(pool.run(host.target, run('true'), LIMIT), { kind: 'timeout' })
  await eventually(() => host.sessions() === 1)
  clock.advance(1000)
  await settled(clock, hanging)
  const ended = pool[Symbol.asyncDispose]()
  await settled(clock, ended)
  await eventually(() => host.connections() === 0)
})

test('a command that prints errors without an end and cannot be ended is no longer read', async () => {
  const clock = new FakeClock()
  await using host = await hangingHost((channel) => {
    const more = (): boolean =>
      channel.stderr.writable && channel.stderr.write(Buffer.alloc(16_384), () => setImmediate(more))
    more()
  })
  await using pool = host.pool({ clock })
  const options: RunOptions = { timeoutMilliseconds: 900_000, maxOutputBytes: 100_000 }
  const flood = assert.rejects(pool.run(host.target, run('true'), options), { kind: 'output_too_large' })
  await settled(clock, flood)
  await eventually(() => host.isClosedByPeer())
})

test('what does not even end by KILL is no proven end', async () => {
  await using node = await startTestNode()
  const group = 4_194_303
  assert.equal(isRunning(group), false)
  const stuck = join(node.home, 'ps')
  writeFileSync(stuck, `#!/bin/sh\necho 'D ${group}'\n`)
  chmodSync(stuck, 0o755)
  const command = script(END_GROUP, group)
  const ended = async (path: string) => {
    const ending = { ...command, line: `PATH=${path}; export PATH\n${command.line}` }
    return (await node.pool.run(node.target, ending, { timeoutMilliseconds: 30_000 })).exitCode
  }
  assert.deepEqual([await ended(`${node.home}:$PATH`), await ended('$PATH')], [1, 0])
})

/** Lets time pass until it holds. */
const passing = (clock: FakeClock, holds: () => boolean): Promise<void> =>
  eventually(() => {
    clock.advance(100)
    return holds()
  })

const settled = async (clock: FakeClock, work: PromiseLike<unknown>): Promise<void> => {
  let isSettled = false
  void Promise.resolve(work).finally(() => (isSettled = true))
  await passing(clock, () => isSettled)
}

/** Takes connections with ten sessions each. A command hangs and cannot be ended, until the machine is healthy. */
async function hangingHost(hang: (channel: ServerChannel) => void = () => undefined) {
  const hostKey = generateSshKey()
  const key = generateSshKey()
  const held: ServerChannel[] = []
  const lines: string[] = []
  let [isHealthy, connections, accepted, sessions] = [false, 0, 0, 0]
  const finish = (channel: ServerChannel): void => {
    channel.exit(0)
    channel.end()
  }
  const ssh = new ssh2.Server({ hostKeys: [hostKey.privateKey.reveal()] }, (client) => {
    connections += 1
    accepted += 1
    let open = 0
    client.on('error', () => undefined)
    client.on('close', () => (connections -= 1))
    client.on('authentication', (login) => login.accept())
    client.on('session', (accept, reject) => {
      if (open >= SESSIONS_MAX) return reject()
      open += 1
      accept().on('exec', (admit, _refuse, { command }) => {
        const channel = admit()
        lines.push(command)
        sessions += 1
        channel.on('error', () => undefined)
        // A server's channel ends with its input; nobody reads that of a command that hangs.
        if (!isHealthy) {
          held.push(channel)
          return hang(channel)
        }
        open -= 1
        channel.resume()
        finish(channel)
      })
    })
  })
  const server = createServer((socket) => ssh.injectSocket(socket))
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo // A listening TCP server has an address object.
  return {
    target: { nodeId: 1, host: '127.0.0.1', port, user: 'orbit', fingerprint: hostKey.fingerprint },
    pool: (options: Pick<SshPoolOptions, 'clock'>) =>
      createSshPool({ ...options, privateKey: key.privateKey }),
    connections: () => connections,
    accepted: () => accepted,
    sessions: () => sessions,
    lines: () => lines,
    isClosedByPeer: () => held.every(({ stderr }) => !stderr.writable),
    heal: () => void (isHealthy = true),
    /** What hangs goes on: it says its group and ends. */
    wake: () => {
      for (const channel of held) {
        channel.write('fleet-group:4711\n')
        channel.resume()
        finish(channel)
      }
    },
    [Symbol.asyncDispose]: async () => void (await new Promise((resolve) => server.close(resolve))),
  }
}
