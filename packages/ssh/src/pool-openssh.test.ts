import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Secret, systemClock } from '@fleet/kernel'
import { run, script, withStdin } from '@fleet/shell'
import { eventually, isRunning, sshdMissing, startSshd, type TestSshd } from '@fleet/testing'
import { generateSshKey } from './keys.ts'
import { SshFailure } from './types.ts'
import { createSshPool } from './pool.ts'

const options = { timeoutMilliseconds: 30_000 }
const openssh = sshdMissing === undefined ? {} : { skip: sshdMissing }
const poolFor = ({ key }: TestSshd) => createSshPool({ privateKey: key.privateKey, clock: systemClock })

test('OpenSSH: outputs, exit codes and five megabytes of input are as sent', openssh, async () => {
  await using sshd = await startSshd()
  await using pool = poolFor(sshd)
  const failed = await pool.run(sshd.target, script('echo out; echo err >&2; exit 7'), options)
  assert.deepEqual(
    [failed.exitCode, failed.stdout.toString(), failed.stderr.toString()],
    [7, 'out\n', 'err\n'],
  )
  const text = 'x\u20ac'.repeat(1_250_000)
  const sum = await pool.run(sshd.target, withStdin(run('sha256sum'), new Secret(text)), options)
  assert.equal(sum.stdout.toString().slice(0, 64), createHash('sha256').update(text).digest('hex'))
})

test('OpenSSH: fifty commands share one connection within the session limit of sshd', openssh, async () => {
  await using sshd = await startSshd()
  await using pool = poolFor(sshd)
  const numbers = Array.from({ length: 50 }, (_, index) => `${index}\n`)
  const parents = new Set<string>()
  const answers = await Promise.all(
    numbers.map(async (number) => {
      const line = { line: `echo $PPID; echo ${number}`, shown: 'echo' }
      const [parent = '', own] = (await pool.run(sshd.target, line, options)).stdout.toString().split('\n')
      parents.add(parent)
      return `${own}\n`
    }),
  )
  assert.deepEqual(answers, numbers)
  assert.equal(parents.size, 1)
})

test('OpenSSH: a cancelled command takes its whole process group with it', openssh, async () => {
  await using sshd = await startSshd()
  await using pool = poolFor(sshd)
  const control = new AbortController()
  const file = join(sshd.directory, 'grandchild')
  const family = script('sh -c "sleep 300 & echo \\$! >$1; wait"; true', file)
  const cancelled = pool.run(sshd.target, family, { ...options, signal: control.signal })
  cancelled.catch(() => undefined)
  await eventually(() => lineIn(file) !== '')
  const grandchild = Number(lineIn(file))
  assert.ok(isRunning(grandchild))
  control.abort()
  await assert.rejects(cancelled, { kind: 'cancelled', sent: true })
  assert.equal(isRunning(grandchild), false)
  assert.equal((await pool.run(sshd.target, run('true'), options)).exitCode, 0)
})

test(
  'OpenSSH: eight commands that run out of time are all ended, and the connection lives on',
  openssh,
  async () => {
    await using sshd = await startSshd()
    await using pool = poolFor(sshd)
    await pool.run(sshd.target, run('true'), options)
    const late = Array.from({ length: 8 }, (_, index) =>
      pool.run(sshd.target, run('sleep', `30${index}`), { timeoutMilliseconds: 500 }),
    )
    const outcomes = await Promise.allSettled(late)
    const kinds = outcomes.map(
      (outcome) =>
        outcome.status === 'rejected' && outcome.reason instanceof SshFailure && outcome.reason.kind,
    )
    assert.deepEqual(
      kinds,
      Array.from({ length: 8 }, () => 'timeout'),
    )
    const { stdout } = await pool.run(
      sshd.target,
      script('ps -A -o args= | grep -c "^sleep 30[0-7]$"'),
      options,
    )
    assert.equal(stdout.toString().trim(), '0')
  },
)

test('OpenSSH: another host key or login key is refused by its own name', openssh, async () => {
  await using sshd = await startSshd()
  await using pool = poolFor(sshd)
  const pinned = { ...sshd.target, fingerprint: generateSshKey().fingerprint }
  await assert.rejects(pool.run(pinned, run('true'), options), { kind: 'host_key_changed', sent: false })
  await using stranger = createSshPool({ privateKey: generateSshKey().privateKey, clock: systemClock })
  await assert.rejects(stranger.run(sshd.target, run('true'), options), {
    kind: 'authentication',
    sent: false,
  })
  await pool.probe(sshd.target, 10_000)
})

test(
  'OpenSSH: a connection process killed in the middle of a command is a lost connection',
  openssh,
  async () => {
    await using sshd = await startSshd()
    await using pool = poolFor(sshd)
    const cut = { line: 'kill -s KILL $PPID; sleep 5', shown: 'cut' }
    await assert.rejects(pool.run(sshd.target, cut, options), { kind: 'connection_lost', sent: true })
    assert.equal((await pool.run(sshd.target, run('true'), options)).exitCode, 0)
  },
)

const lineIn = (path: string): string => {
  try {
    const text = readFileSync(path, 'utf8')
    return text.endsWith('\n') ? text.trim() : ''
  } catch {
    return ''
  }
}

test(
  'OpenSSH: a stream through the Node reaches a port there, beside as many commands as sshd has sessions',
  openssh,
  async () => {
    await using sshd = await startSshd()
    await using pool = poolFor(sshd)
    const commands = Array.from({ length: 8 }, () => pool.run(sshd.target, script('sleep 0.3'), options))
    const { host, port } = sshd.target
    const times = { ...options, lifetimeMilliseconds: 30_000 }
    const stream = await pool.forward(sshd.target, { host, port }, times)
    const [greeting] = (await once(stream, 'data')) as [Buffer] // A stream without an encoding gives bytes.
    assert.match(greeting.toString(), /^SSH-2\.0-OpenSSH/)
    stream.destroy()
    await Promise.all(commands)
    await assert.rejects(pool.forward(sshd.target, { host, port: 1 }, times), { name: 'ForwardRefused' })
  },
)
