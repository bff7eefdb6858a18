use super::Database;
pub(super) enum Fault {}
impl Fault {
    pub(super) async fn strike(_: &mut Database) -> Result<(), sqlx::Error> {
        Ok(())
    }
}
