import { createHash } from 'node:crypto'
import { programOf, textFile } from '@fleet/shell'
import { HOOK, TUNNEL } from '#/network/commands/library.ts'
import { WRITTEN } from '#/network/resolver-plan.ts'
import { type Question, readPrinted } from '#/nodes/api.ts'

/** The tunnel of a Node as it runs, and what it is going to start with. */
export interface TunnelView {
  /** The interface is there. */
  readonly isUp: boolean
  /** Its unit brings it up after a boot. */
  readonly boots: boolean
  /** Public key of each peer with the addresses that it may use, joined by commas. */
  readonly peers: ReadonlyMap<string, string>
  readonly files: TunnelFiles
  /** A change of the tunnel was cut off: its configuration from before is still kept. */
  readonly isUnfinished: boolean
}

/** What a start of the tunnel reads. Empty where a file is missing, or not root's alone. */
export interface TunnelFiles {
  /** Of the private key in fleet.key. */
  readonly publicKey: string
  /** SHA-256 in hex of fleet.conf with the key of fleet.key, but that line and the one with the resolver. */
  readonly configuration: string
  /** SHA-256 in hex. */
  readonly hook: string
}

const SOURCE = programOf(textFile('tunnel-question.sh', import.meta.url), ...TUNNEL)

export const tunnelQuestion = (root = ''): Question<TunnelView> => ({
  source: SOURCE,
  args: [root],
  read: (printed) =>
    readPrinted(printed, (answer) => ({
      isUp: answer.flag('up'),
      boots: answer.flag('boots'),
      peers: peersOf(answer.text('peers')),
      files: {
        publicKey: answer.text('public_key'),
        configuration: answer.text('configuration'),
        hook: answer.text('hook'),
      },
      isUnfinished: answer.flag('unfinished'),
    })),
})

/** The files of a machine with this key and this configuration, which is as `hubConfiguration` or `peerConfiguration` gives it. */
export const tunnelFiles = (publicKey: string, configuration: string): TunnelFiles => ({
  publicKey,
  configuration: sha256(`${WRITTEN}[Interface]\n${configuration.replace(/^DNS = .*\n/m, '')}`),
  hook: sha256(HOOK),
})

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')

const peersOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([key, addresses]) => (key && addresses ? [[key, addresses] as const] : [])),
  )
