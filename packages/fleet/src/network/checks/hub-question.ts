import { FIELD_WRITERS, fields, MalformedOutput, textField } from '@fleet/shell'
import type { Question } from '#/nodes/api.ts'

/** The tunnel of the hub as it runs. */
export interface HubView {
  /** The interface is there. */
  readonly isUp: boolean
  /** Its unit brings it up after a boot. */
  readonly boots: boolean
  /** Public key of each peer with the addresses that it may use, joined by commas. */
  readonly peers: ReadonlyMap<string, string>
}

const SOURCE = `${FIELD_WRITERS}
PATH=$PATH:/usr/sbin:/sbin
if wg show fleet public-key >/dev/null; then field up yes; else field up no; fi
if systemctl is-enabled --quiet wg-quick@fleet.service; then field boots yes; else field boots no; fi
field peers "$(wg show fleet allowed-ips | awk '{ k = $1; $1 = ""; sub(/^[ \\t]+/, ""); gsub(/[ \\t]+/, ","); print k " " $0 }')"
`

export const hubQuestion: Question<HubView> = {
  source: SOURCE,
  read({ exitCode, text }) {
    if (exitCode !== 0) return undefined
    try {
      const answer = fields(Buffer.from(`${text}\n`))
      return {
        isUp: textField(answer, 'up') === 'yes',
        boots: textField(answer, 'boots') === 'yes',
        peers: peersOf(textField(answer, 'peers')),
      }
    } catch (error) {
      if (error instanceof MalformedOutput) return undefined
      throw error
    }
  },
}

const peersOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([key, addresses]) => (key && addresses ? [[key, addresses] as const] : [])),
  )
