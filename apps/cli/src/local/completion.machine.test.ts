import assert from 'node:assert/strict'
import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { eventually } from '@fleet/testing'
import { completionScript } from './completion-script.ts'

/** Stands for the program: offers what a shell asks for, and notes what it was run with. */
const PROGRAM = `#!/bin/sh
log=\${0%/*}/ran
if [ "$1" != __complete ]; then
  echo "$*" >>"$log"
  exit
fi
shift
case "$*" in
  node:sh) echo node:show ;;
  node:) printf '%s\\n' node:list node:show ;;
  'node:show w') echo web-1 ;;
  'node:show ') printf '%s\\n' web-1 gateway ;;
esac
`

interface Home {
  readonly path: string
  readonly environment: Record<string, string>
  /** What the program was run with, a line each. */
  ran(): string
}

function home(context: TestContext, shell: string): Home {
  const path = mkdtempSync(join(tmpdir(), 'fleet-shell-'))
  // A shell that ends late may still write there.
  context.after(() => rmSync(path, { recursive: true, force: true, maxRetries: 10 }))
  mkdirSync(join(path, 'bin'))
  writeFileSync(join(path, 'bin/fleet'), PROGRAM, { mode: 0o755 })
  writeFileSync(join(path, 'script'), completionScript(shell))
  const ran = join(path, 'bin/ran')
  return {
    path,
    environment: {
      HOME: path,
      ZDOTDIR: path,
      TERM: 'xterm',
      HISTFILE: '/dev/null',
      SHELL: '/bin/sh',
      PATH: `${join(path, 'bin')}:/usr/bin:/bin`,
    },
    ran: () => (existsSync(ran) ? readFileSync(ran, 'utf8') : ''),
  }
}

/** Says which shell is missing, so that a run without it does not look like a proof. */
const needs = (...programs: readonly string[]): { skip: string | false } => {
  const missing = programs.filter((program) => spawnSync('which', [program]).status !== 0)
  return { skip: missing.length > 0 && `needs ${missing.join(' and ')}` }
}

/** Types on a terminal of its own: the beginning of a command, the beginning of its argument, and Enter. */
async function typeInto(shell: readonly string[], { environment, path, ran }: Home): Promise<void> {
  const child = spawn('script', ['-qefc', shell.join(' '), '/dev/null'], {
    env: environment,
    cwd: path,
    stdio: ['pipe', 'pipe', 'ignore'],
  })
  let shown = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (shown += text))
  child.stdin.on('error', () => undefined)
  try {
    await eventually(() => shown.includes('ready> '))
    child.stdin.write('fleet node:sh\tw\t\r')
    await eventually(() => ran() !== '')
    assert.equal(ran(), 'node:show web-1\n', shown)
  } finally {
    child.kill('SIGKILL')
    await once(child, 'close')
  }
}

test(
  'bash completes a command behind its colon and the name of a record',
  needs('script'),
  async (context) => {
    const at = home(context, 'bash')
    writeFileSync(join(at.path, 'rc'), 'PS1="ready> "\nsource ~/script\n')
    await typeInto(['bash', '--noprofile', '--rcfile', join(at.path, 'rc'), '-i'], at)
  },
)

const ORDERS = {
  'after compinit': 'autoload -Uz compinit; compinit -u; source ~/script',
  'before compinit': 'source ~/script; autoload -Uz compinit; compinit -u',
  'where nobody calls compinit': 'source ~/script',
  'as a function of fpath':
    'mkdir -p ~/f; cp ~/script ~/f/_fleet; fpath=(~/f $fpath); autoload -Uz compinit; compinit -u',
}
for (const [when, lines] of Object.entries(ORDERS))
  test(`zsh completes when the script is sourced ${when}`, needs('script', 'zsh'), async (context) => {
    const at = home(context, 'zsh')
    writeFileSync(join(at.path, '.zshrc'), `PS1='ready> '\nunsetopt prompt_sp\n${lines}\n`)
    await typeInto(['zsh', '-i'], at)
  })

test('fish offers commands and names of records', needs('fish'), (context) => {
  const at = home(context, 'fish')
  const offered = (line: string): readonly string[] =>
    execFileSync('fish', ['--no-config', '-c', `source ~/script; complete -C '${line}'`], {
      encoding: 'utf8',
      env: at.environment,
    })
      .trimEnd()
      .split('\n')
      .toSorted()
  assert.deepEqual(offered('fleet node:'), ['node:list', 'node:show'])
  assert.deepEqual(offered('fleet node:show w'), ['web-1'])
  assert.deepEqual(offered('fleet node:show '), ['gateway', 'web-1'])
  assert.deepEqual(offered(`${join(at.path, 'bin/fleet')} node:sh`), ['node:show'])
})
