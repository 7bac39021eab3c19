import tseslint from 'typescript-eslint';

const wallClock = [
  {
    selector: "MemberExpression[object.name='Date'][property.name='now']",
    message: 'Take the time from a Clock (base/clock.ts).',
  },
  {
    selector: "NewExpression[callee.name='Date'][arguments.length=0]",
    message: 'Take the time from a Clock (base/clock.ts).',
  },
  {
    selector: "MemberExpression[object.name='Math'][property.name='random']",
    message: 'Take randomness from a Random (base/random.ts).',
  },
];

export default tseslint.config(
  {
    ignores: [
      'dist/',
      'node_modules/',
      'native-bindings/',
      'src/segment/generated/',
      '**/*.mjs',
      '**/*.cjs',
      '**/*.js',
    ],
  },
  ...tseslint.configs.strictTypeChecked,
  {
    languageOptions: { parserOptions: { project: './tsconfig.test.json', tsconfigRootDir: import.meta.dirname } },
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true, allowBoolean: true }],
      '@typescript-eslint/switch-exhaustiveness-check': ['error', { considerDefaultExhaustiveForUnions: true }],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      'no-console': 'error',
      'max-lines': ['error', { max: 500 }],
      'max-lines-per-function': ['error', { max: 100 }],
    },
  },
  {
    files: ['src/**/*.{ts,tsx}'],
    ignores: ['src/base/clock.ts', 'src/base/random.ts'],
    rules: { 'no-restricted-syntax': ['error', ...wallClock] },
  },
  {
    // Runs in browsers, with their libraries.
    files: ['src/console/**/*.{ts,tsx}', 'bench/experiments/report/browser/*.ts'],
    languageOptions: { parserOptions: { project: './tsconfig.console.json', tsconfigRootDir: import.meta.dirname } },
  },
  {
    files: ['test/**/*.ts', 'bench/**/*.ts', 'src/cli/**/*.ts'],
    rules: { 'no-console': 'off', 'max-lines-per-function': 'off' },
  },
  {
    // Tests look into answers of many shapes (`Json` of test/api/node-harness.ts).
    files: ['test/**/*.ts'],
    rules: {
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
      '@typescript-eslint/restrict-plus-operands': 'off',
      '@typescript-eslint/no-unnecessary-type-assertion': 'off',
      '@typescript-eslint/no-unnecessary-condition': 'off',
      '@typescript-eslint/no-base-to-string': 'off',
    },
  },
);
