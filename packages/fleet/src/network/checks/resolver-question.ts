import { programOf, textFile } from '@fleet/shell'
import { RESOLVER, TUNNEL } from '#/network/commands/library.ts'
import { resolverWords } from '#/network/commands/resolver-words.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'
import { type Question, readPrinted } from '#/nodes/api.ts'

export interface ResolverView {
  /** The files from which the tunnel's link gets its name server, and the operator's own. */
  readonly files: 'own' | 'foreign' | 'different'
  /** The link asks whom it should about what it should. */
  readonly points: boolean
  /** The link answers no LLMNR or mDNS question. */
  readonly isSilent: boolean
  /** The unit of the tunnel brings it up after a boot. */
  readonly boots: boolean
  /** Programs that read /etc/resolv.conf ask the resolver that knows the link. */
  readonly isStub: boolean
}

const SOURCE = programOf(textFile('resolver-question.sh', import.meta.url), ...TUNNEL, RESOLVER)

/** Asked with what the resolver of this very Node should be. */
export const resolverQuestion = (plan: ResolverPlan, root = ''): Question<ResolverView> => ({
  source: SOURCE,
  args: [root, ...resolverWords(plan)],
  read: (printed) =>
    readPrinted(printed, (answer) => ({
      files: answer.word('files', ['own', 'foreign', 'different']),
      points: answer.flag('points'),
      isSilent: answer.flag('silent'),
      boots: answer.flag('boots'),
      isStub: answer.flag('stub'),
    })),
})
