// Loaded into each test process before its tests: every property draws from the seed of the run.
import { testSeed } from '@fleet/testing/sample'
import fc from 'fast-check'

fc.configureGlobal({ seed: testSeed() })
