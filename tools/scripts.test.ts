import assert from 'node:assert/strict'
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { readFindings, scripts } from './scripts.ts'

const NODE_SCRIPT = 'packages/fleet/src/dns/commands/inspect.sh'

function rootWith(context: TestContext, files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), 'fleet-scripts-'))
  context.after(() => rmSync(root, { recursive: true }))
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), text)
  }
  return root
}

/** A folder whose `shellcheck` prints what is given. */
function withShellcheck(context: TestContext, comments: readonly object[]): string {
  const bin = rootWith(context, { shellcheck: `#!/bin/sh\necho '${JSON.stringify({ comments })}'\n` })
  chmodSync(join(bin, 'shellcheck'), 0o755)
  return bin
}

const PAGE = 'docs/decisions/0092-which-programs-stay-scripts.md'
const NOWHERE = '/nonexistent'

test('a script that does not parse is named with its line, without shellcheck too', async (context) => {
  const root = rootWith(context, { [NODE_SCRIPT]: 'set -eu\nif true; then echo a\n' })
  assert.deepEqual(await scripts(root, NOWHERE), {
    seen: 1,
    unit: 'scripts',
    problems: [`${NODE_SCRIPT}:2  \`if\` statement must end with \`fi\``],
    note: '1 of them for Nodes; shellcheck is not installed: apt-get install shellcheck',
  })
})

test('a script without a shebang is POSIX; one for bash may use arrays', async (context) => {
  const root = rootWith(context, {
    [NODE_SCRIPT]: 'set -eu\nnames=(a b)\n',
    '.ci/run': '#!/usr/bin/env bash\nnames=(a b)\n',
  })
  const { problems } = await scripts(root, NOWHERE)
  assert.deepEqual(problems, [`${NODE_SCRIPT}:2  arrays are a bash/mksh/zsh feature; tried parsing as posix`])
})

test('what shellcheck finds is reported beside what the parser finds', async (context) => {
  const root = rootWith(context, { [NODE_SCRIPT]: 'echo $1\n' })
  const bin = withShellcheck(context, [
    { file: NODE_SCRIPT, line: 1, code: 2086, message: 'Double quote to prevent globbing.' },
  ])
  assert.deepEqual(await scripts(root, bin), {
    seen: 1,
    unit: 'scripts',
    problems: [`${NODE_SCRIPT}:1  SC2086  Double quote to prevent globbing.`],
    note: '1 of them for Nodes',
  })
})

test('a script of more than sixty lines needs its reason on the decision page', async (context) => {
  const files = { [NODE_SCRIPT]: 'true\n'.repeat(61) }
  const { problems } = await scripts(rootWith(context, files), NOWHERE)
  assert.deepEqual(problems, [
    `${NODE_SCRIPT}  61 lines: make it a typed command of the executable, or add its reason to ${PAGE}`,
  ])
  const root = rootWith(context, { ...files, [PAGE]: '| `dns/commands/inspect.sh` | It repairs. |\n' })
  assert.deepEqual((await scripts(root, NOWHERE)).problems, [])
})

test('a text that a module names otherwise than in quotes is no part of a release', async (context) => {
  const quoted = `textFile(\n  'inspect.sh',\n  import.meta.url,\n)`
  const root = rootWith(context, {
    [NODE_SCRIPT]: 'true\n',
    'packages/x/src/quoted.ts': quoted,
    'packages/x/src/made.ts': 'textFile(`${name}.sh`, import.meta.url)',
  })
  const { problems } = await scripts(root, NOWHERE)
  assert.deepEqual(problems, [
    'packages/x/src/made.ts  a text file whose name is not in quotes: the release cannot have it',
  ])
})

test('a shellcheck that fails is a problem, not a clean script', () => {
  assert.deepEqual(readFindings('', 2), ['shellcheck ended with status 2'])
})

test('a tree without scripts for Nodes is reported as nothing seen, whatever else there is', async (context) => {
  const root = rootWith(context, { 'packages/x/src/x.ts': '', '.ci/run': '#!/usr/bin/env bash\n' })
  assert.deepEqual(await scripts(root, NOWHERE), { seen: 0, unit: 'scripts for Nodes', problems: [] })
})
