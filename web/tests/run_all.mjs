// Runs tests by their names and counts them as Rust's own test programs do.

/** `tests`: functions that throw or reject where something is wrong; `tidyUp` runs after each. */
export async function runAll(tests, tidyUp = () => {}) {
  let failed = 0;
  for (const [name, run] of Object.entries(tests)) {
    try {
      await run();
      console.log(`test ${name} ... ok`);
    } catch (error) {
      failed++;
      console.log(`test ${name} ... FAILED\n${error.stack}`);
    }
    tidyUp();
  }
  console.log(`test result: ${failed ? "FAILED" : "ok"}. ${Object.keys(tests).length - failed} passed; ${failed} failed`);
  process.exitCode = failed ? 1 : 0;
}
