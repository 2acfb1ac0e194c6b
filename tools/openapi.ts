import { createConfig, lintFromString } from '@redocly/openapi-core'
import type { Report } from './tree.ts'

export const OPENAPI_FILE = 'docs/reference/openapi.json'

/** The OpenAPI document by the strict rules of a public linter; its warnings are problems too. */
export async function openapi(source: string): Promise<Report> {
  const config = await createConfig({ extends: ['recommended-strict'] })
  const found = await lintFromString({ source, absoluteRef: OPENAPI_FILE, config })
  const problems = found.map(
    ({ ruleId, message, location }) =>
      `${OPENAPI_FILE}${location[0]?.pointer ?? ''}  ${ruleId}  ${message.replaceAll('\n', ' ')}`,
  )
  return { seen: operationsIn(source), unit: 'operations', problems }
}

const operationsIn = (source: string): number => {
  const { paths = {} } = JSON.parse(source) as { readonly paths?: Readonly<Record<string, object>> } // OpenAPI fixes the shape.
  return Object.values(paths).flatMap((item) => Object.keys(item)).length
}
