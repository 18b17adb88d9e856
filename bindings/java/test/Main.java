/** All tests, or one of the programs that they start. */
public final class Main {
    private Main() {}

    public static void main(String[] arguments) throws Exception {
        if (arguments.length > 0) {
            LifeTests.program(arguments[0]);
            return;
        }
        ImageTests.run();
        LoadTests.run();
        LoaderTests.run();
        LifeTests.run();
        System.exit(Harness.failures() == 0 ? 0 : 1);
    }
}
