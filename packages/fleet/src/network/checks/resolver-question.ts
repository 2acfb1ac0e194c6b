import { fields, MalformedOutput, textField } from '@fleet/shell'
import { RESOLVER, TUNNEL } from '#/network/commands/library.ts'
import { resolverWords } from '#/network/commands/resolver-words.ts'
import type { ResolverPlan } from '#/network/resolver-plan.ts'
import type { Question } from '#/nodes/api.ts'

export interface ResolverView {
  /** The files from which the tunnel's link gets its name server, and the operator's own. */
  readonly files: 'own' | 'foreign' | 'different'
  /** The link asks whom it should about what it should. */
  readonly points: boolean
}

const SOURCE = `${TUNNEL}
keeper=$1 server=$2 domains=$3 default=$4 state=$5 unit_text=$6 other=$7
${RESOLVER}
if foreign; then field files foreign
elif is "$state" "$folder/fleet.dns-link" 600 && is "$unit_text" "$drop_in" 644 && is "$other" "$other_server" 644
then field files own
else field files different; fi
if points; then field points yes; else field points no; fi
`

/** Asked with what the resolver of this very Node should be. */
export const resolverQuestion = (plan: ResolverPlan, root = ''): Question<ResolverView> => ({
  source: SOURCE,
  args: [root, ...resolverWords(plan)],
  read({ exitCode, text }) {
    if (exitCode !== 0) return undefined
    try {
      const answer = fields(Buffer.from(`${text}\n`))
      const said = textField(answer, 'files')
      const files = (['own', 'foreign', 'different'] as const).find((one) => one === said)
      return files && { files, points: textField(answer, 'points') === 'yes' }
    } catch (error) {
      if (error instanceof MalformedOutput) return undefined
      throw error
    }
  },
})
