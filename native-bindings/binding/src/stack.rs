//! The stack that kernels run on.
//!
//! Queries, aggregations, scripts, documents and shapes nest, and what walks them recurses. Their limits are limits of depth; how much stack a
//! level takes depends on the compiler, and how much there is on who started the thread: Node gives its workers 4 MiB. So each thread that
//! calls kernels gets a stack for them that every limit fits into with room to spare. Its pages take memory only once they were used.

use corosensei::on_stack;
use corosensei::stack::DefaultStack;
use quarry_base::limits::KERNEL_STACK_BYTES;
use std::cell::RefCell;

thread_local! {
    /// `None` while it is used, and before it is first used.
    static STACK: RefCell<Option<DefaultStack>> = const { RefCell::new(None) };
    static IS_ON_IT: std::cell::Cell<bool> = const { std::cell::Cell::new(false) };
}

/// Runs kernels on the stack for them; a panic goes on in the caller. What runs there must not call into JavaScript, whose engine knows the
/// bounds of its thread's own stack.
pub fn on_kernel_stack<T>(work: impl FnOnce() -> T) -> T {
    if IS_ON_IT.get() {
        return work();
    }
    let waiting = STACK.take();
    // Without memory for another stack there is still that of the thread.
    let Some(mut stack) = waiting.or_else(|| DefaultStack::new(KERNEL_STACK_BYTES).ok()) else { return work() };
    let _leaving = Leaving::enter();
    let result = on_stack(&mut stack, work);
    STACK.set(Some(stack));
    result
}

/// Also when a panic passes by: the stack of that call is unmapped then, and the next one gets another.
struct Leaving;

impl Leaving {
    fn enter() -> Self {
        IS_ON_IT.set(true);
        Leaving
    }
}

impl Drop for Leaving {
    fn drop(&mut self) {
        IS_ON_IT.set(false);
    }
}
