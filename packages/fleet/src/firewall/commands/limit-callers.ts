import { FIELD_WRITERS, programOf, ROOT_FILES, textFile, type Word } from '@fleet/shell'
import type { Root } from '#/firewall/commands/read-state.ts'
import type { NodeScript, Question } from '#/nodes/api.ts'
import { readPrinted } from '#/nodes/api.ts'

/** Who may call the gateway from a machine. */
export interface CallerLimit {
  /** Tunnel address of the gateway. */
  readonly gateway: string
  /** Besides root; null for no limit. */
  readonly accounts: readonly string[] | null
}

/** Where the gateway answers. */
const HTTPS = 443

export const CALLERS = textFile('callers.sh', import.meta.url)

/** Puts the limit in force, now and after a boot, or lifts it. Answers the accounts that the machine does not know: then nothing changed. */
export const limitCallers: NodeScript<CallerLimit & { readonly root: Root }, readonly string[]> = {
  source: programOf(textFile('limit-callers.sh', import.meta.url), ROOT_FILES, CALLERS),
  args: ({ root, gateway, accounts }) => [
    root,
    accounts === null ? 'open' : 'limited',
    ...words({ gateway, accounts }),
  ],
  shown: ({ accounts }) => accounts ?? ['open'],
  timeoutSeconds: 60,
  reasons: {
    absent: { code: 'node.capability_missing', details: { capability: 'nftables' } },
    write_failed: { code: 'firewall.apply_failed', details: { step: 'callers', reason: 'storage_full' } },
    enable_failed: { code: 'firewall.apply_failed', details: { step: 'callers', reason: 'enable_failed' } },
    load_failed: { code: 'firewall.apply_failed', details: { step: 'callers', reason: 'load_failed' } },
    unverified: { code: 'firewall.verify_failed', details: { step: 'callers' } },
  },
  broken: { code: 'node.command_failed', details: { reason: 'firewall' } },
  read: (answer) => namesIn(answer.text('unknown')),
}

export interface CallersView {
  /** The machine limits its callers in some way. */
  readonly isLimited: boolean
  /** The limit is the one that was asked for. */
  readonly isExact: boolean
  readonly boots: boolean
  /** Accounts that the machine does not know. */
  readonly unknown: readonly string[]
}

export const callersQuestion = (limit: CallerLimit, root: Root = ''): Question<CallersView> => ({
  source: programOf(textFile('callers-question.sh', import.meta.url), FIELD_WRITERS, CALLERS),
  args: [root, ...words(limit)],
  read: (printed) =>
    readPrinted(printed, (answer) => ({
      isLimited: answer.flag('limited'),
      isExact: answer.flag('exact'),
      boots: answer.flag('boots'),
      unknown: namesIn(answer.text('unknown')),
    })),
})

const words = ({ gateway, accounts }: CallerLimit): readonly Word[] => [
  gateway,
  HTTPS,
  (accounts ?? []).join(' '),
]

const namesIn = (text: string): readonly string[] => text.split(' ').filter((name) => name !== '')
