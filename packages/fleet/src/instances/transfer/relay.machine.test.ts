import assert from 'node:assert/strict'
import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import { test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { LITERALS } from '@fleet/contract'
import { systemIds } from '@fleet/kernel'
import { SshFailure } from '@fleet/ssh'
import { fakeCall, startTestNode } from '@fleet/testing'
import { git } from '@fleet/testing/git-server'
import { discardCheckout } from '#/instances/commands/discard-checkout.ts'
import { prepareCheckout } from '#/instances/commands/prepare-checkout.ts'
import {
  deleteSource,
  digestSource,
  receiveSource,
  sendSource,
  settleSource,
} from '#/instances/transfer/commands/transfer-source.ts'
import { relaySource } from '#/instances/transfer/relay.ts'
import { commandOf, makeSession, type NodeRecord } from '#/nodes/api.ts'

type TestNode = Awaited<ReturnType<typeof startTestNode>>

/** A checkout path below the home of a Node with a real SSH server. */
function end(node: TestNode, name: string, receive?: (stdinFrom: Readable) => Promise<never>) {
  const path = join(realpathSync(node.home), 'apps', 'app', name)
  const session = makeSession({
    call: fakeCall(),
    // Only its name is shown.
    node: { id: node.target.nodeId, name: 'node' } as NodeRecord,
    login: node.target.user,
    send: (_call, command, options = {}) =>
      receive && options.stdinFrom
        ? receive(options.stdinFrom)
        : node.pool.run(node.target, command, { timeoutMilliseconds: 60_000, ...options }),
  })
  return { session, place: { checkoutPath: path, preparationId: systemIds.uuid() }, path }
}

/** What gives it its name there. */
const settling = (source: { readonly path: string }, { place }: ReturnType<typeof end>) => ({
  ...place,
  sourcePath: source.path,
  applicationDirectory: '',
})

/** Every name below a folder with its kind, mode and content; not the receipt. */
const walk = (folder: string, below = ''): readonly string[] =>
  readdirSync(join(folder, below))
    .toSorted()
    .flatMap((name) => {
      const path = join(below, name)
      if (path.startsWith(`.git/${LITERALS.gitReceiptFolder}`)) return []
      const stat = lstatSync(join(folder, path))
      const entry = `${path} ${stat.mode.toString(8)}`
      if (stat.isDirectory()) return [entry, ...walk(folder, path)]
      if (stat.isSymbolicLink()) return [`${entry} -> ${readlinkSync(join(folder, path))}`]
      return [`${entry} ${readFileSync(join(folder, path)).toString('base64')}`]
    })

/** A checkout with work of every kind that exists nowhere else. */
async function checkout(node: TestNode) {
  const source = end(node, 'feature')
  mkdirSync(join(realpathSync(node.home), 'apps'), { recursive: true })
  assert.equal((await source.session.ask(prepareCheckout, source.place)).word, 'prepared')
  const { path } = source
  const write = (name: string, text: string): void => writeFileSync(join(path, name), text)
  write('committed.txt', 'committed\n')
  git(path, ['add', '.'])
  git(path, ['commit', '-q', '-m', 'only here'])
  git(path, ['branch', 'kept'])
  write('stashed.txt', 'stashed\n')
  git(path, ['add', 'stashed.txt'])
  git(path, ['stash', 'push', '-q'])
  write('.env', 'SECRET=mine\n')
  write('untracked\nwith a line é.txt', 'untracked\n')
  write('-rf', 'a name like an option\n')
  mkdirSync(join(path, 'empty'))
  mkdirSync(join(path, 'vendor'))
  write('vendor/large', 'x'.repeat(4 * 1024 * 1024))
  linkSync(join(path, 'vendor/large'), join(path, 'vendor/same'))
  symlinkSync('nowhere', join(path, 'dangling'))
  chmodSync(join(path, 'committed.txt'), 0o755)
  chmodSync(join(path, '.env'), 0o600)
  chmodSync(join(path, 'empty'), 0o500)
  return source
}

/** Runs a line of Python with the path in `p`; undefined where there is none, or the file system has no attributes. */
function attribute(path: string, line: string): string | undefined {
  try {
    const program = `import os, sys; p = sys.argv[1]; ${line}`
    return execFileSync('python3', ['-c', program, path], { encoding: 'utf8', stdio: 'pipe' }).trim()
  } catch {
    return undefined
  }
}

test('attributes that a user has given to files arrive with them', async (t) => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  const given = attribute(join(source.path, 'committed.txt'), "os.setxattr(p, 'user.note', b'mine')")
  if (given === undefined) return t.skip('no Python, or no attributes of files')
  const target = end(second, 'feature')
  assert.equal((await relaySource(source, target))?.received.word, 'digested')
  await target.session.ask(settleSource, settling(source, target))
  assert.equal(
    attribute(join(target.path, 'committed.txt'), "print(os.getxattr(p, 'user.note').decode())"),
    'mine',
  )
})

test('a read-only file that others may read by a list of their own arrives without that list', async (t) => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  const file = join(source.path, 'committed.txt')
  chmodSync(file, 0o444)
  if (spawnSync('setfacl', ['-m', 'u:nobody:r', file]).status !== 0)
    return t.skip('no access lists of files: apt-get install acl')
  // Root could unpack it, so for root the archive is looked at.
  const { stdout } = await source.session.run(commandOf(sendSource, source.place), {
    maxOutputBytes: 2 ** 24,
  })
  assert.ok(stdout.includes('committed.txt'))
  assert.ok(!stdout.includes('posix_acl'))
  const target = end(second, 'feature')
  assert.equal((await relaySource(source, target))?.received.word, 'digested')
})

test('a checkout arrives on another Node as it is, and goes from the first one', async () => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  symlinkSync(join(source.path, 'vendor'), join(source.path, 'within'))
  symlinkSync(`${source.path}-other`, join(source.path, 'beside'))
  const before = walk(source.path)
  const target = end(second, 'feature')
  // Nobody can copy one; what a development server leaves stops nothing.
  const socket = createServer().listen(join(source.path, 's'))
  await once(socket, 'listening')
  const relayed = await relaySource(source, target)
  const received = relayed?.received
  const now = await source.session.ask(digestSource, source.place)
  assert.equal(received?.word, 'digested')
  assert.ok(existsSync(join(source.path, 's')))
  socket.close()
  assert.deepEqual(received, now)
  assert.equal(existsSync(target.path), false)
  assert.equal((await target.session.ask(settleSource, settling(source, target))).word, 'settled')
  assert.equal((await target.session.ask(settleSource, settling(source, target))).word, 'settled')
  const inside = ` -> ${source.path}/vendor`
  const moved = before.map((entry) =>
    entry.endsWith(inside) ? entry.replace(source.path, target.path) : entry,
  )
  assert.deepEqual(walk(target.path), moved)
  assert.match(git(target.path, ['stash', 'list']), /stash@\{0\}/)
  execFileSync('git', ['-C', target.path, 'fsck', '--strict'])
  const removal = { ...source.place, digest: received.digest }
  // Somebody works on in the old one: it stays.
  writeFileSync(join(source.path, 'later.txt'), 'later\n')
  assert.equal((await source.session.ask(deleteSource, removal)).word, 'changed')
  assert.equal(existsSync(join(source.path, 'later.txt')), true)
  execFileSync('rm', [join(source.path, 'later.txt')])
  assert.equal((await source.session.ask(deleteSource, removal)).word, 'deleted')
  assert.equal((await source.session.ask(deleteSource, removal)).word, 'deleted')
  assert.deepEqual(readdirSync(join(realpathSync(first.home), 'apps')), [])
  assert.deepEqual(walk(target.path), moved)
})

test('a destination that is taken stops the source, and nothing of it changes', async () => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  const target = end(second, 'feature')
  mkdirSync(target.path, { recursive: true })
  assert.deepEqual((await relaySource(source, target))?.received, { word: 'occupied' })
  assert.deepEqual(readdirSync(target.path), [])
})

test('a destination that is lost on the way is the reason, not the source that is ended with it', async () => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  const lost = end(second, 'feature', async (stdinFrom) => {
    await once(stdinFrom, 'readable')
    throw new SshFailure('connection_lost', true)
  })
  await assert.rejects(relaySource(source, lost), { kind: 'connection_lost' })
})

test('what a receiver that outlives its request receives is not deleted under its hands, and is gone once it has ended', async () => {
  await using node = await startTestNode()
  mkdirSync(join(realpathSync(node.home), 'apps'))
  const target = end(node, 'feature')
  const sent = new PassThrough()
  const receiving = target.session.ask(receiveSource, target.place, { stdinFrom: sent })
  const work = join(target.path, '..', `.fleet-preparation-${target.place.preparationId}`)
  const worker = join(work, '.git', LITERALS.gitReceiptFolder, 'worker')
  for (let tries = 0; !existsSync(worker) && tries < 200; tries += 1) await setTimeout(50)
  const removal = { ...target.place, quarantineId: 'removal', mode: 'attempt' } as const
  // Both wait for it as long as they may.
  const [second, discarded] = await Promise.all([
    target.session.ask(receiveSource, target.place, { stdinFrom: Readable.from([]) }),
    target.session.ask(discardCheckout, removal),
  ])
  assert.deepEqual([second.word, discarded.word, existsSync(worker)], ['busy', 'busy', true])
  sent.end('no archive')
  assert.deepEqual([(await receiving).word, existsSync(work)], ['failed', false])
  assert.equal((await target.session.ask(discardCheckout, removal)).word, 'gone')
})

test('a checkout of another attempt is not sent, and nothing has arrived', async () => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  const target = end(second, 'feature')
  const foreign = { ...source, place: { ...source.place, preparationId: systemIds.uuid() } }
  assert.notEqual((await relaySource(foreign, target))?.received.word, 'digested')
  assert.equal(existsSync(target.path), false)
})

test('a database that is carried by itself is in no archive and in no digest, whatever its name, and what is beside it is [INS-093]', async () => {
  await using first = await startTestNode()
  await using second = await startTestNode()
  const source = await checkout(first)
  const kept = 'da[t]a* é/\\shop?.sqlite'
  const at = (name: string): string => join(source.path, name)
  mkdirSync(join(at(kept), '..'))
  for (const end of ['', '-wal', '-shm', '-journal']) writeFileSync(at(`${kept}${end}`), 'rows')
  writeFileSync(at(`${kept}-other`), 'stays')
  writeFileSync(at('da[t]a* é/\\shopx.sqlite'), 'stays')
  const place = { ...source.place, kept }
  const target = end(second, 'feature')
  const relayed = await relaySource({ ...source, place }, { ...target, place: { ...target.place, kept } })
  const received = relayed?.received
  assert.equal(received?.word, 'digested')
  await target.session.ask(settleSource, settling(source, target))
  const arrived = readdirSync(join(target.path, 'da[t]a* é')).toSorted()
  assert.deepEqual(arrived, ['\\shop?.sqlite-other', '\\shopx.sqlite'])
  // Nobody has to stand still for its sake.
  writeFileSync(at(`${kept}-wal`), 'more rows')
  assert.deepEqual(await source.session.ask(digestSource, place), received)
  assert.notDeepEqual(await source.session.ask(digestSource, source.place), received)
  const deleted = await source.session.ask(deleteSource, { ...place, digest: received.digest })
  assert.deepEqual([deleted.word, existsSync(source.path)], ['deleted', false])
})
