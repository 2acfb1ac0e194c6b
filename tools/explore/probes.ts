import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Chunk, choose } from '../suite/chunks.ts'
import { runChunk, type RunOptions } from '../suite/process.ts'
import type { Failure } from '../suite/outcome.ts'
import { runProgram } from './program.ts'
import type { Probe } from './explore.ts'

type Surroundings = Pick<RunOptions, 'root' | 'env'>

/** Each part of `npm test` in a random order, and between two of them all properties with other values. */
export function suiteProbes(
  surroundings: Surroundings,
  split: number,
  hasPostgres: boolean,
): readonly Probe[] {
  const { root } = surroundings
  const { chunks } = choose(root, [], split, hasPostgres)
  const files = chunks.flatMap((chunk) => chunk.files).filter((file) => drawsProperties(root, file))
  const properties: Probe = {
    name: 'properties',
    run: (seed, signal) => failuresOf({ name: 'properties', files, env: {} }, seed, signal, surroundings),
    repeat: (seed) => `FLEET_TEST_SEED=${seed} npm test -- ${files.join(' ')}`,
  }
  return chunks.flatMap((chunk) => [properties, partProbe(chunk, surroundings)])
}

const partProbe = (chunk: Chunk, surroundings: Surroundings): Probe => ({
  name: `order of ${chunk.name}`,
  run: (seed, signal) => failuresOf(chunk, seed, signal, surroundings),
  repeat: (seed) => `FLEET_TEST_SEED=${seed} npm test -- --part '${chunk.name}'`,
})

/** Each sweep of faults on real hosts, with another sample. */
export const labProbes = (root: string, files: readonly string[]): readonly Probe[] =>
  files
    .filter((file) => /@fleet\/testing\/sample|gateway-deaths/.test(readFileSync(join(root, file), 'utf8')))
    .map((file) => ({
      name: `faults of ${file}`,
      run: (seed, signal) =>
        runProgram(root, ['tools/test-lab.ts', file], { FLEET_TEST_SEED: `${seed}` }, signal),
      repeat: (seed) => `FLEET_TEST_SEED=${seed} npm run test:lab -- ${file}`,
    }))

/** Breaks some places of the source; a place that no test notices is a finding. */
export const mutationProbe = (root: string): Probe => {
  const words = (seed: number) => ['packages/', 'apps/', '--count', '3', '--seed', `${seed}`]
  return {
    name: 'mutations',
    run: (seed, signal) => runProgram(root, ['tools/mutate.ts', ...words(seed)], {}, signal),
    repeat: (seed) => `npm run mutate -- ${words(seed).join(' ')}`,
  }
}

const drawsProperties = (root: string, file: string): boolean =>
  readFileSync(join(root, file), 'utf8').includes(`'fast-check'`)

async function failuresOf(
  chunk: Chunk,
  seed: number,
  signal: AbortSignal,
  { root, env }: Surroundings,
): Promise<readonly Failure[]> {
  const { failures } = await runChunk(chunk, { root, seed, env, signal })
  return failures
}
