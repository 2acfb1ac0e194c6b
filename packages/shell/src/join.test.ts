import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import fc from 'fast-check'
import { type Command, run, withPayload, withStdin } from './command.ts'
import { and, inDirectory, or, pipe, quiet, withoutInput, withoutOutput } from './join.ts'

const [a, b, c] = [run('a'), run('b'), run('c')]

test('joined commands are written flat, and in braces where a shell would read them otherwise', () => {
  assert.equal(and(a, b, c).line, 'a && b && c')
  assert.equal(and(and(a, b), c).line, 'a && b && c')
  assert.equal(or(a, and(b, c)).line, 'a || { b && c; }')
  assert.equal(pipe(and(a, b), c).line, '{ a && b; } | c')
  assert.equal(and(pipe(a, b), c).line, 'a | b && c')
  assert.equal(quiet(or(a, b)).line, '{ a || b; } >/dev/null 2>&1')
  assert.equal(and(withoutOutput(a), withoutInput(b)).line, 'a >/dev/null && b </dev/null')
  assert.equal(and(a).line, 'a')
})

/** Commands whose exit codes are known, nested as deep as you like, beside what they must come to. */
const { tree } = fc.letrec<{ tree: { command: Command; succeeds: boolean } }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 4 },
    fc.boolean().map((succeeds) => ({ command: run(succeeds ? 'true' : 'false'), succeeds })),
    fc.tuple(fc.constantFrom('and', 'or', 'pipe', 'quiet'), tie('tree'), tie('tree')).map(([kind, x, y]) => {
      if (kind === 'and') return { command: and(x.command, y.command), succeeds: x.succeeds && y.succeeds }
      if (kind === 'or') return { command: or(x.command, y.command), succeeds: x.succeeds || y.succeeds }
      if (kind === 'pipe') return { command: pipe(x.command, y.command), succeeds: y.succeeds }
      return { command: quiet(x.command), succeeds: x.succeeds }
    }),
  ),
}))

test('any nesting means to sh what it says', () => {
  fc.assert(
    fc.property(tree, ({ command, succeeds }) => {
      assert.equal(spawnSync('sh', ['-c', command.line]).status === 0, succeeds, command.line)
    }),
    { numRuns: 150 },
  )
})

test('joining keeps the one standard input and refuses a second', () => {
  const fed = withStdin(a, new Secret('x'))
  assert.equal(and(b, fed).stdin?.reveal(), 'x')
  assert.equal(quiet(fed).stdin?.reveal(), 'x')
  const payload = new Uint8Array([0, 255])
  assert.equal(and(b, withPayload(fed, payload)).payload, payload)
  assert.throws(() => pipe(b, withPayload(b, payload)))
  assert.throws(() => and(fed, fed), /only one/)
  assert.throws(() => pipe(a, fed), /first command of a pipe/)
  assert.throws(() => withoutInput(fed), /takes standard input/)
})

test('a directory is entered only when it is absolute', () => {
  assert.equal(inDirectory('/srv/my app', or(a, b)).line, "cd -- '/srv/my app' && { a || b; }")
  assert.throws(() => inDirectory('-', a), /absolute/)
})

test('nothing cannot be joined', () => {
  assert.throws(() => and(), /nothing/)
})
