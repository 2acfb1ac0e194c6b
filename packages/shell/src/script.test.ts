import assert from 'node:assert/strict'
import { type SpawnSyncReturns, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { test } from 'node:test'
import { Secret } from '@fleet/kernel'
import { type Command, inputOf, withPayload, withStdin } from './command.ts'
import { script } from './script.ts'

const bytesOf = (command: Command): Buffer => Buffer.concat(inputOf(command).map((part) => Buffer.from(part)))

const ran = (shell: string, command: Command, input = bytesOf(command)): SpawnSyncReturns<string> =>
  spawnSync(shell, ['-c', command.line.replaceAll(/\bsh -/g, `${shell} -`)], { input, encoding: 'utf8' })

const shells = ['/bin/dash', '/bin/bash'].filter(existsSync)

for (const shell of shells) {
  test(`a script of ${shell} gets its arguments as they are, and they cannot become part of it`, () => {
    const source = 'printf "%s|" "$#" "$@"'
    const given = ['a b', "'; reboot", '', '-n', 7, '\n'] as const
    assert.equal(ran(shell, script(source, ...given)).stdout, "6|a b|'; reboot||-n|7|\n|")
    const fed = withStdin(script(`${source}; cat`, ...given), new Secret('input\n'))
    assert.equal(ran(shell, fed).stdout, "6|a b|'; reboot||-n|7|\n|input\n")
  })

  test(`what follows the text of a script is its standard input, every byte of it, in ${shell}`, () => {
    // More than a shell reads at once, with signs of several bytes: a reader of characters would take too many.
    const source = `# look\n${'# ä€😀\n'.repeat(4000)}sha256sum`
    const payload = Uint8Array.from({ length: 70_000 }, (_, at) => at)
    const fed = withPayload(withStdin(script(source), new Secret('text\n')), payload)
    const plain = spawnSync('sha256sum', { input: Buffer.concat([Buffer.from('text\n'), payload]) })
    assert.equal(ran(shell, fed).stdout, plain.stdout.toString())
  })

  test(`a script without standard input finds none, and no program eats the rest of it, in ${shell}`, () => {
    assert.equal(ran(shell, script('cat; echo end')).stdout, 'end\n')
  })

  test(`a script that is cut off anywhere runs nothing of what arrived, in ${shell}`, () => {
    const source = 'echo first\necho second'
    for (const command of [script(source, 'word'), withStdin(script(source, 'word'), new Secret('in'))]) {
      const whole = bytesOf(command)
      const end = whole.lastIndexOf('}')
      for (let length = 0; length < end; length += 1)
        assert.equal(ran(shell, command, whole.subarray(0, length)).stdout, '', `${length} bytes`)
    }
  })
}

test('the text may arrive in pieces', async () => {
  const command = withStdin(script('# look\ncat'), new Secret('input'))
  const child = spawn('sh', ['-c', command.line], { stdio: 'pipe' })
  const chunks: string[] = []
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => chunks.push(chunk))
  for (const byte of bytesOf(command)) {
    child.stdin.write(Buffer.of(byte))
    await new Promise(setImmediate)
  }
  child.stdin.end()
  await once(child, 'close')
  assert.equal(chunks.join(''), 'input')
})

test('a dd that cannot wait for a full block still leaves the input alone', () => {
  const command = withStdin(script('cat'), new Secret('input'))
  const without = `dd() { case $* in *iflag*) return 1 ;; esac; command dd "$@"; }; `
  const line = command.line.replace("'eval", `'${without}eval`)
  assert.notEqual(line, command.line)
  assert.equal(ran('/bin/sh', { ...command, line }).stdout, 'input')
})

test('the arguments of a command hold the title of its script and nothing else', () => {
  const command = script('\n# write a file\ncat >"$1"\n', '/canary')
  assert.equal(command.line, "sh -s 'write a file'")
  const { line } = withStdin(command, new Secret('secret'))
  assert.match(line, /^sh -c 'eval [^']+' 'write a file' 45$/)
})

test('logs show the title and the arguments, not the source', () => {
  assert.equal(script('\n# write a file\ncat >"$1"\n', '/a b').shown, "script 'write a file' '/a b'")
  assert.equal(script('true', 1).shown, 'script sh 1')
})
