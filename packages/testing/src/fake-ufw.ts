import { createHash } from 'node:crypto'
import {
  type FirewallProgram,
  type Listening,
  type FirewallState,
  type FirewallWriting,
  readFirewallState,
  type WriteRefusal,
} from '@fleet/fleet'
import { Answer } from '@fleet/shell'
import { answerText } from './answer-text.ts'

export const EMPTY_RULES = `*filter
:ufw-user-input - [0:0]
:ufw-user-output - [0:0]
:ufw-user-forward - [0:0]
:ufw-user-limit - [0:0]
:ufw-user-limit-accept - [0:0]
### RULES ###
-A ufw-user-limit -m limit --limit 3/minute -j LOG --log-prefix "[UFW LIMIT BLOCK] "
-A ufw-user-limit -j REJECT
-A ufw-user-limit-accept -j ACCEPT
COMMIT
`
export const EMPTY_RULES6 = `*filter
:ufw6-user-input - [0:0]
:ufw6-user-output - [0:0]
:ufw6-user-forward - [0:0]
### RULES ###
COMMIT
`

type CallerLimit = Parameters<FirewallProgram['limitCallers']>[1]

/** A machine's UFW in memory, which answers through the words of the real scripts. */
export class FakeUfw implements FirewallProgram {
  backend: 'active' | 'inactive' | 'absent' = 'active'
  /** Whether it denies what no rule admits, and whether it starts with the machine, while it is on. */
  deniesRest = true
  startsWithMachine = true
  rules = EMPTY_RULES
  /** Undefined while IPv6 is off. */
  rules6: string | undefined = EMPTY_RULES6
  kernel: readonly string[] = []
  kernel6: readonly string[] = []
  /** What was asked, in order: `read`, or how rules were written. */
  readonly asked: string[] = []
  /** The next writing changes nothing and gives this reason. */
  refusal: WriteRefusal | undefined
  /** The next writing says it is done, and the machine has it otherwise. */
  forgets = false
  listens: Listening = { listeners: [], published: [] }
  onRead: () => void = () => undefined
  /** Accounts that the machine does not know, the limit in force, and what the next change of it throws. */
  unknownAccounts: readonly string[] = []
  limit: CallerLimit | undefined
  limitError: Error | undefined
  /** Runs after the comparison succeeded and the rules were written. */
  onWritten: () => void = () => undefined

  async read(): Promise<FirewallState> {
    this.asked.push('read')
    this.onRead()
    return this.#state()
  }

  async listening(): Promise<Listening> {
    this.asked.push('listening')
    return this.listens
  }

  async limitCallers(_session: unknown, limit: CallerLimit): Promise<readonly string[]> {
    this.asked.push('limit')
    if (this.limitError !== undefined) throw this.limitError
    const unknown = this.unknownAccounts.filter((name) => limit.accounts?.includes(name))
    if (unknown.length === 0) this.limit = limit.accounts === null ? undefined : limit
    return unknown
  }

  async write(
    _machine: unknown,
    writing: FirewallWriting,
  ): Promise<FirewallState | { readonly refused: WriteRefusal }> {
    this.asked.push(writing.tunnel ? `${writing.how} over the tunnel` : writing.how)
    const { refusal } = this
    this.refusal = undefined
    if (refusal) return { refused: refusal }
    if (digest(this.rules) !== writing.ipv4.before) return { refused: 'changed' }
    if (writing.ipv6 && digest(this.rules6 ?? '') !== writing.ipv6.before) return { refused: 'changed' }
    if (!this.forgets) this.take(writing.ipv4.text, writing.ipv6?.text)
    this.forgets = false
    if (writing.how === 'enable')
      [this.backend, this.deniesRest, this.startsWithMachine] = ['active', true, true]
    if (writing.how !== 'files') this.load()
    this.onWritten()
    return this.#state()
  }

  /** Files alone, as a person with an editor writes them. */
  take(rules: string, rules6: string | undefined): void {
    this.rules = rules
    this.rules6 = rules6
  }

  /** The kernel has what the files say. */
  load(): void {
    this.kernel = loaded(this.rules)
    this.kernel6 = loaded(this.rules6 ?? '')
  }

  /** The comments in the file, in order. */
  comments(): string[] {
    return [...this.rules.matchAll(/ comment=(\w+)/g)].map(([, hex = '']) =>
      Buffer.from(hex, 'hex').toString(),
    )
  }

  #state(): FirewallState {
    const chains = (suffix: string, lines: readonly string[]): string =>
      [`-N ufw${suffix}-user-input`, `-N ufw${suffix}-user-forward`, ...lines].join('\n')
    return readFirewallState(
      new Answer(
        Buffer.from(
          answerText({
            backend: this.backend,
            ...(this.backend === 'absent'
              ? {}
              : {
                  denying: this.deniesRest ? 'yes' : 'no',
                  starting: this.startsWithMachine ? 'yes' : 'no',
                  rules: this.rules,
                  kernel: chains('', this.kernel),
                  ...(this.rules6 === undefined
                    ? {}
                    : { rules6: this.rules6, kernel6: chains('6', this.kernel6) }),
                }),
            end: 'yes',
          }),
        ),
      ),
    )
  }
}

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** As the kernel lists what it loaded: it names the module of each protocol. */
const loaded = (text: string): readonly string[] =>
  text
    .split('\n')
    .filter((line) => /^-A ufw6?-user-(?:input|forward) /.test(line))
    .map((line) => line.replace(/-p (tcp|udp) /, '-p $1 -m $1 '))
