import type { Command } from '@fleet/shell'
import { type CommandResult, SshFailure, type SshPool } from '@fleet/ssh'
import { answerText, checkoutPool } from '@fleet/testing'
import type { Machines } from '#/compose/sequences/machines.test.ts'

/** Nodes whose scripts on checkouts work in memory, and a hub that takes a catalog. */
export function nodePool(machines: Machines): SshPool {
  const checkouts = checkoutPool(machines.checkouts)
  return {
    ...checkouts,
    probe: ({ nodeId }) =>
      machines.isSilent(nodeId) ? Promise.reject(new SshFailure('unreachable', false)) : Promise.resolve(),
    run: (target, command, options) =>
      machines.command(async () => {
        if (machines.isSilent(target.nodeId)) throw new SshFailure('unreachable', false)
        const title =
          /^script '([a-zA-Z_. ]+)'/.exec(command.shown.replace(/^.*?(script ')/, '$1'))?.[1] ?? ''
        if (title === 'publish private names') {
          const text = command.stdin?.reveal() ?? ''
          const published = machines.catalog === text ? 'unchanged' : 'changed'
          machines.catalog = text
          return answered({ published })
        }
        const known = ANSWERS[title]
        if (known) return answered(known)
        if (title === 'verify the servers of a domain')
          return answered({ failed: unserved(machines, command.shown) })
        const path = /' (\S+ \S+ \S+)/.exec(command.shown)?.[1]?.replaceAll(' ', '/') ?? ''
        const ofRelease = machines.of(target.nodeId).homes.answer(title, path, command)
        // What was deleted took its permissions with it.
        if (title === 'discard checkout' || title === 'delete source')
          machines.of(target.nodeId).opened.delete(path)
        if (ofRelease) return answered(ofRelease)
        const mine = sourceIn(command)
        if (title === 'survey source') return answered(surveyed(machines, mine))
        if (title === 'adopt source') machines.adopted.add(mine)
        if (title === 'return source') machines.adopted.delete(mine)
        return checkouts.run(target, asAnybody(command), options)
      }),
  }
}

/** Files that say nothing of Routes. */
const ANSWERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'set application URL': { answer: 'written' },
  'check the environment file': { file: 'missing' },
  'write the environment file': { written: 'yes' },
}

/** The same script, whoever runs it. */
const asAnybody = (command: Command): Command => ({
  ...command,
  shown: command.shown.replace(/^.*?(?=script ')/, ''),
})

/** Where somebody has a checkout of their own, and the folder of it that no Instance has. */
export const MINE = '/srv/mine'

const sourceIn = ({ shown }: Command): string => /\/srv\/mine\/\S+/.exec(shown)?.[0] ?? ''

/** A checkout of the repository that its path is named after, until it is adopted. */
const surveyed = ({ adopted }: Machines, path: string): Readonly<Record<string, string>> =>
  adopted.has(path)
    ? { answer: 'absent' }
    : {
        answer: 'surveyed',
        origin: `https://git.example.com/acme/${path.split('/').at(-1)}.git`,
        head: 'refs/heads/main',
        commit: '0123456789012345678901234567890123456789',
        preparation: '',
        submodules: 'no',
        movable: 'yes',
      }

/** The first of the servers that does not answer the domain. */
function unserved(machines: Machines, shown: string): string {
  const [, domain = '', ...servers] = shown.replace(/^.*of a domain' /, '').split(' ')
  return servers.find((server) => !machines.siteAt(server.replace(/:\d+$/, ''), domain)) ?? ''
}

const answered = (fields: Readonly<Record<string, string>>): CommandResult => ({
  exitCode: 0,
  signal: null,
  stdout: Buffer.from(answerText(fields)),
  stderr: Buffer.alloc(0),
})
