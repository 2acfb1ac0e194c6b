import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { test, type TestContext } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { sha256Of, verifyRelease } from '@fleet/gateway/release'
import { archiveRelease } from './archive.ts'
import { Elf } from './elf.ts'
import { makeExecutable } from './executable.ts'
import { copyRuntime } from './runtime.ts'
import { buildRelease } from './tree.ts'

const ROOT = resolve(import.meta.dirname, '../..')

function folder(context: TestContext): string {
  const made = mkdtempSync(join(tmpdir(), 'fleet-made-'))
  context.after(() => rmSync(made, { recursive: true, force: true }))
  return made
}

test('a release verifies, runs by itself, and travels without what its installer unpacks', async (context) => {
  const at = folder(context)
  const tree = join(at, 'fleet-v1')
  const scratch = join(at, 'scratch')
  for (const path of [tree, scratch]) mkdirSync(path)
  await buildRelease({ root: ROOT, version: 'v1', commit: undefined, folder: tree, scratch })
  assert.equal((await verifyRelease(tree)).version, 'v1')
  const executable = readFileSync(join(tree, 'bin/fleet'))
  assert.equal(gunzipSync(readFileSync(join(tree, 'bin/fleet.gz'))).equals(executable), true)
  const run = (...words: readonly string[]): string =>
    execFileSync(join(tree, 'bin/fleet'), words, {
      env: { HOME: at, NODE_OPTIONS: '--no-such-option' },
      encoding: 'utf8',
    })
  assert.match(run('--version'), /^fleet \d+\.\d+\.\d+ \(node 26\./)
  const console = execFileSync(join(tree, 'bin/fleet-gateway'), ['install', '--help'], {
    env: {},
    encoding: 'utf8',
  })
  assert.match(console, /^usage: \.\/install --public-host HOST/)
  const archive = await archiveRelease(at, 'fleet-v1')
  const first = await sha256Of(archive)
  const listed = execFileSync('tar', ['-tzf', archive], { encoding: 'utf8' }).split('\n')
  assert.deepEqual(
    [listed.includes('fleet-v1/bin/fleet'), listed.includes('fleet-v1/bin/fleet.gz')],
    [false, true],
  )
  await archiveRelease(at, 'fleet-v1')
  assert.equal(await sha256Of(archive), first)
})

test('the same module becomes the same executable, wherever it is made', async (context) => {
  const digest = async (): Promise<string> => {
    const scratch = folder(context)
    await makeExecutable('console.log(Math.random())', join(scratch, 'out'), scratch)
    return sha256Of(join(scratch, 'out'))
  }
  assert.equal(await digest(), await digest())
})

const WEBASSEMBLY = `const bytes = new Uint8Array([0,97,115,109,1,0,0,0,1,7,1,96,2,127,127,1,127,3,2,1,0,7,7,1,3,97,100,100,0,0,10,9,1,7,0,32,0,32,1,106,11])
for (let i = 0; i < 200; i += 1)
  if (new WebAssembly.Instance(new WebAssembly.Module(bytes)).exports.add(2, 3) !== 5) process.exit(1)`

test('the runtime of a release asks a machine for nothing that a blank Debian lacks, and computes as before', (context) => {
  const at = folder(context)
  const runtime = join(at, 'node')
  copyRuntime(process.execPath, runtime)
  const elf = new Elf(readFileSync(runtime))
  const strings = elf.dynamic().find(({ tag }) => tag === 5) ?? assert.fail()
  const needed = elf
    .dynamic()
    .filter(({ tag }) => tag === 1)
    .map(({ value }) => elf.text(elf.offsetOf(strings.value) + value))
  if (elf.isX86) assert.equal(needed.includes('libatomic.so.1'), false)
  assert.ok(needed.includes('libc.so.6'))
  assert.ok(elf.bytes.length < readFileSync(process.execPath).length)
  const program = join(at, 'wasm.mjs')
  writeFileSync(program, WEBASSEMBLY)
  execFileSync(runtime, [program])
  assert.equal(existsSync(runtime), true)
})
