import { FIELD_WRITERS, programOf, textFile } from '@fleet/shell'
import { type Question, readPrinted } from '#/nodes/api.ts'

/** The tunnel of the hub as it runs. */
export interface HubView {
  /** The interface is there. */
  readonly isUp: boolean
  /** Its unit brings it up after a boot. */
  readonly boots: boolean
  /** Public key of each peer with the addresses that it may use, joined by commas. */
  readonly peers: ReadonlyMap<string, string>
}

export const hubQuestion: Question<HubView> = {
  source: programOf(textFile('hub-question.sh', import.meta.url), FIELD_WRITERS),
  read: (printed) =>
    readPrinted(printed, (answer) => ({
      isUp: answer.flag('up'),
      boots: answer.flag('boots'),
      peers: peersOf(answer.text('peers')),
    })),
}

const peersOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split('\n')
      .map((line) => line.split(' '))
      .flatMap(([key, addresses]) => (key && addresses ? [[key, addresses] as const] : [])),
  )
