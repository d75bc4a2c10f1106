//! The filters that give a generator in Jinja2: it is true whatever it holds, has no length and no JSON, and is read once.
//! Ours are minijinja's own, whose lists are handed out as such.

use std::sync::{Arc, Mutex};
use std::vec::IntoIter;

use minijinja::value::{Enumerator, Object, ObjectRepr, Rest, ValueOrKwargs};
use minijinja::{Environment, Error, State, Value, filters};

/// Puts the generators in place of the built-in filters, which stay under names that no template can spell.
pub fn adapt(env: &mut Environment) {
    env.add_filter("list map", filters::map);
    env.add_filter("list select", filters::select);
    env.add_filter("list selectattr", filters::selectattr);
    env.add_filter("list reject", filters::reject);
    env.add_filter("list rejectattr", filters::rejectattr);
    env.add_filter("list unique", filters::unique);
    env.add_filter("list batch", filters::batch);
    env.add_filter("list slice", filters::slice);
    for name in ["map", "select", "selectattr", "reject", "rejectattr", "unique", "batch", "slice"] {
        let original = format!("list {name}");
        env.add_filter(name, move |state: &mut State, args: Rest<ValueOrKwargs>| -> Result<Value, Error> {
            let items = state.apply_filter(&original, &args.into_values())?;
            let items: Vec<Value> = items.try_iter()?.collect();
            Ok(Value::from_object(Generator(Mutex::new(items.into_iter()))))
        });
    }
}

/// Whether the value is one of these generators.
pub fn is_generator(value: &Value) -> bool {
    value.downcast_object_ref::<Generator>().is_some()
}

#[derive(Debug)]
struct Generator(Mutex<IntoIter<Value>>);

impl Object for Generator {
    fn repr(self: &Arc<Self>) -> ObjectRepr {
        ObjectRepr::Iterable
    }

    fn enumerate(self: &Arc<Self>) -> Enumerator {
        let generator = self.clone();
        Enumerator::Iter(Box::new(std::iter::from_fn(move || {
            generator.0.lock().unwrap_or_else(|poisoned| poisoned.into_inner()).next()
        })))
    }

    fn enumerator_len(self: &Arc<Self>) -> Option<usize> {
        None
    }

    fn is_true(self: &Arc<Self>) -> bool {
        true
    }
}
